"""What is known of a metric by its name: which way is good, and from where to where it goes."""

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

from ragate.guards.escape import one_line
from ragate.models import Direction
from ragate.tables.names import plain

LONGEST_NAME = 80
_BREAKS = re.compile(r"[^0-9a-z]+")
_OURS = (".pass", ".checked")  # how ragate's own rows about a metric end


class Known(NamedTuple):
    """What a name tells.

    Attributes:
        unbounded: It has no highest value, whatever the values seen.
    """

    direction: Direction
    unbounded: bool = False


_HIGHER = """
    accuracy acc acc_norm correct is_correct correctness exact exact_match em match includes f1
    f1_score precision
    recall score scores quality pass passed success similarity bleu bleu_score rouge rouge_l rougel
    rouge1 rouge2 rouge_score meteor meteor_score gleu_score bertscore bert_score chrf
    faithfulness groundedness grounded groundedness_pro relevance relevancy relevance_to_query
    retrieval_relevance retrieval_groundedness retrieval_sufficiency guidelines safety
    answer_relevancy answer_relevance response_relevancy response_relevance answer_correctness
    answer_accuracy answer_similarity semantic_similarity factual_correctness factuality
    context_precision context_recall context_relevancy context_relevance context_sufficiency
    context_entity_recall llm_context_precision_with_reference
    llm_context_precision_without_reference
    contextual_precision contextual_recall contextual_relevancy summarization summary_score
    nv_accuracy nv_context_relevance nv_response_groundedness response_groundedness
    tool_correctness tool_call_accuracy tool_call_f1 argument_correctness task_completion
    task_adherence intent_resolution plan_adherence plan_quality step_efficiency goal_accuracy
    json_correctness prompt_alignment role_adherence knowledge_retention topic_adherence
    conversation_completeness conversation_relevancy turn_relevancy
    coherence fluency completeness response_completeness conciseness helpfulness retrieval
    hit hit_rate mrr ndcg map recall_at_k precision_at_k reciprocal_rank citation_accuracy
    model_graded_qa model_graded_fact choice pattern answer closedqa embeddingsimilarity
    equality equals exactmatch contains llm_rubric g_eval geval mcc pass_at_1 pass_1
    """
_LOWER = """
    hallucination hallucination_rate bias toxicity noise_sensitivity noise_sensitivity_relevant
    embedded_hallucination unsupported_numbers false_refusal self_knowledge
    error_rate brier_score ece refusal_rate violence sexual self_harm hate_unfairness
    """
_UNBOUNDED = """
    prompt_tokens completion_tokens retrieved_tokens cost_usd
    wer cer perplexity word_perplexity byte_perplexity bits_per_byte loss mae mse rmse edit_distance
    """
# The last word of a longer name, where it tells by itself: token_f1, my_answer_accuracy.
_LAST_WORDS = """
    f1 accuracy precision recall correctness relevancy relevance similarity faithfulness
    groundedness coherence fluency ndcg mrr map hit_rate passed pass support
    """
_NAMES = {
    **{name: Known(Direction.HIGHER) for name in _HIGHER.split()},
    **{name: Known(Direction.LOWER) for name in _LOWER.split()},
    **{name: Known(Direction.LOWER, unbounded=True) for name in _UNBOUNDED.split()},
}
# Numbers that stand beside scores and are none.
_BESIDE = """
    index row row_number number line line_number order position rank level_0 index_level_0
    unnamed_0 n count token_count
    timestamp time date created created_at updated_at duration run_duration duration_ms latency
    latency_s latency_ms latencyms seconds elapsed execution_time seed temperature top_k tokens
    total_tokens prompt_tokens completion_tokens input_tokens output_tokens cost cost_usd price
    total_cost
    threshold version retries attempts year page
    """

_BESIDE_ENDINGS = (
    *("_id", "_num", "_number", "_index", "_ms", "_sec", "_seconds", "_tokens"),
    *("_threshold", "_cost", "_time", "_latency", "_duration", "_chunks"),
)


@lru_cache(maxsize=1_000)
def metric_name(raw: str) -> str:
    """Return a file's name of a metric as it is shown and named: on one line, and not too long."""
    name = one_line(unicodedata.normalize("NFC", raw), LONGEST_NAME)
    for ending in _OURS:
        if name.endswith(ending):
            name = f"{name.removesuffix(ending)}_{ending[1:]}"
    return name


def plain_name(name: str) -> str:
    """Return a name in small letters, with one `_` for whatever stands between its words."""
    return _BREAKS.sub("_", plain(name)).strip("_")


@lru_cache(maxsize=1_000)
def known(name: str) -> Known | None:
    """Return what is known of a metric by its name, None where nothing is.

    A cut-off, a mode in brackets, a filter behind a comma and a version (``ndcg@10``,
    ``factual_correctness(mode=f1)``, ``acc,none``, ``toxicity/v1``) say nothing of the direction.
    """
    bare = re.split(r"[@(,\[/]", name, maxsplit=1)[0]
    for spelling in (plain_name(name), plain_name(bare), plain_name(bare.rpartition(".")[2])):
        if spelling in _NAMES:
            return _NAMES[spelling]
        if spelling.endswith("_score") and spelling.removesuffix("_score") in _NAMES:
            return _NAMES[spelling.removesuffix("_score")]
    last = plain_name(bare).rpartition("_")[2]
    return Known(Direction.HIGHER) if last in _LAST_WORDS.split() else None


@lru_cache(maxsize=1_000)
def is_beside(name: str) -> bool:
    """Return whether a number under this name is no score: a place, a time, a count, a cost."""
    plain = plain_name(name)
    return plain in _BESIDE.split() or plain.endswith(_BESIDE_ENDINGS)
