"""What a golden set holds that no metric of the policy reads: it grew, and the policy did not."""

from collections.abc import Collection, Sequence

from ragate.metrics import METRICS
from ragate.models import Sample

_BESIDE_REFERENCES = frozenset(
    [
        "correctness",
        "correctness_binary",
        "semantic_similarity",
        "claim_precision",
        "claim_recall",
        "claim_f1",
        "hallucination",
        "noise_sensitivity",
        "self_knowledge",
        "embedded_correctness",
        "embedded_token_f1",
        "answer_keywords",
    ]
)


def unread_labels(samples: Sequence[Sample], measured: Collection[str]) -> list[str]:
    """Return a sentence for each kind of label that no measured metric reads, with one that would.

    Args:
        measured: The names of the metrics; none of ragate's own where scores came from elsewhere.
    """
    bases = {name.partition("@")[0] for name in measured}
    homes = {METRICS[base].partition(":")[0].rpartition(".")[2] for base in bases & METRICS.keys()}
    if not homes - {"run"}:
        return []
    kinds = (
        (
            "expected documents",
            "recall@10",
            sum(bool(sample.expected) for sample in samples),
            "retrieval" in homes,
        ),
        (
            "a reference",
            "idf_f1",
            sum(sample.answerable and bool(sample.references) for sample in samples),
            bool(bases & _BESIDE_REFERENCES or homes & {"reference", "reference_content"}),
        ),
        (
            "no answer",
            "refusal_recall",
            sum(not sample.answerable for sample in samples),
            "refusal" in homes,
        ),
    )
    return [
        f"{count} of {len(samples)} questions have {label}, which no metric reads: {metric} would"
        for label, metric, count, is_read in kinds
        if count and not is_read
    ]
