"""The installed evaluators as an oracle: the same requests, and their score where one is due."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.contrib.llamaindex_judge.llamaindex_factories import judge_by, obedient
from tests.unit.judges.judge_factories import Chat, answered, asked, values

WINDOW = 3_000
REPLY = 256
QUESTION = "How long?"
TEXTS = [
    "Kept 30 days. ",
    " Stored in Oslo.",
    "word " * 900,
    "Invoices are monthly.",
    "more " * 900,
    "and " * 900,
]
OUTPUT = answered("It is kept for 30 days in Oslo.", *TEXTS)
SAMPLE = asked(QUESTION, "30 days, in Oslo.")


def recording_llm(reply: str) -> Any:
    from llama_index.core.llms import CompletionResponse, CustomLLM, LLMMetadata

    class Recording(CustomLLM):
        seen: list[str] = []

        @property
        def metadata(self) -> LLMMetadata:
            return LLMMetadata(context_window=WINDOW, num_output=REPLY)

        def complete(self, prompt: str, formatted: bool = False, **_: Any) -> CompletionResponse:
            self.seen.append(prompt)
            return CompletionResponse(text=reply)

        def stream_complete(self, prompt: str, formatted: bool = False, **_: Any) -> Any:
            raise AssertionError("nothing streams here")

    return Recording()


def theirs(criterion: str, reply: str) -> tuple[float, list[str]]:
    """Return LlamaIndex's own score and the prompts that it sent."""
    from llama_index.core import evaluation

    evaluator = {
        "faithfulness_binary": evaluation.FaithfulnessEvaluator,
        "relevancy": evaluation.RelevancyEvaluator,
        "context_relevancy": evaluation.ContextRelevancyEvaluator,
        "answer_relevancy": evaluation.AnswerRelevancyEvaluator,
        "guideline": evaluation.GuidelineEvaluator,
    }[criterion]
    llm = recording_llm(reply)
    made: Any = evaluator(llm=llm)
    found = asyncio.run(made.aevaluate(query=QUESTION, response=OUTPUT.answer, contexts=TEXTS))
    return found.score, llm.seen


def ours(criterion: str, reply: str) -> tuple[float | None, list[str]]:
    chat = Chat(lambda _request: reply)
    scores = judge_by(chat, SAMPLE, OUTPUT, [criterion], context_window=WINDOW, max_tokens=REPLY)
    return scores[criterion].value, [request.messages[0][1] for request in chat.requests]


@pytest.mark.parametrize(
    ("criterion", "reply", "calls"),
    [
        ("faithfulness_binary", "NO", 2),
        ("relevancy", "NO", 2),
        ("context_relevancy", "Partly. [RESULT] 1.5", 2),
        ("answer_relevancy", "Half. [RESULT] 1", 1),
        ("guideline", '{"passing": true, "feedback": "fine"}', 1),
    ],
)
def test_requests_and_scores_are_those_of_the_evaluator(
    criterion: str, reply: str, calls: int
) -> None:
    score, prompts = theirs(criterion, reply)

    assert ours(criterion, reply) == (score, prompts)
    assert len(prompts) == calls


@pytest.mark.parametrize("criterion", ["faithfulness_binary", "relevancy"])
def test_a_chain_that_says_yes_has_their_score_with_fewer_requests(criterion: str) -> None:
    score, prompts = theirs(criterion, "YES")
    value, sent = ours(criterion, "YES")

    assert (value, sent) == (score, prompts[:1])
    assert len(prompts) == 2


@pytest.mark.parametrize(
    ("reply", "score"), [("yesterday it said NO", 1.0), ("The answer is not YES", 1.0), ("", 0.0)]
)
def test_what_their_parsing_takes_for_a_verdict_is_none_here(reply: str, score: float) -> None:
    assert theirs("faithfulness_binary", reply)[0] == score
    assert ours("faithfulness_binary", reply)[0] is None


def test_a_refine_chain_sends_what_their_synthesizer_sends() -> None:
    from llama_index.core.evaluation import faithfulness
    from llama_index.core.response_synthesizers import ResponseMode, get_response_synthesizer

    llm = recording_llm("NO")
    chain: Any = get_response_synthesizer(
        llm=llm,
        text_qa_template=faithfulness.DEFAULT_EVAL_TEMPLATE,
        refine_template=faithfulness.DEFAULT_REFINE_TEMPLATE,
        response_mode=ResponseMode.REFINE,
    )
    asyncio.run(chain.aget_response(OUTPUT.answer, TEXTS))
    chat = obedient(lambda _evaluator, _prompt: False)
    settings: dict[str, Any] = {"mode": "refine", "context_window": WINDOW, "max_tokens": REPLY}

    scores = judge_by(chat, SAMPLE, OUTPUT, ["faithfulness_binary"], **settings)

    assert [request.messages[0][1] for request in chat.requests] == llm.seen
    assert len(llm.seen) == len(TEXTS)
    assert values(scores) == {"faithfulness_binary": 0.0}
