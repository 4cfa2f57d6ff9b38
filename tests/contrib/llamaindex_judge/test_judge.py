"""Each evaluator on its own, failures that stay failures, and any LLM by dotted path."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest

from ragate.contrib.llamaindex_judge import plugin
from ragate.core.judging.applicability import PAIRWISE
from ragate.errors import BudgetError, ConfigError, ProviderError
from ragate.judges import run_canaries
from ragate.models import Failure, RetrievedChunk, ScoreState, SystemOutput
from tests.contrib.llamaindex_judge.llamaindex_factories import (
    evaluator_of,
    fingerprint,
    judge_by,
    make,
    obedient,
    resources_of,
)
from tests.unit.judges.judge_factories import TWO, Chat, answered, asked, values

LLMS = "tests.contrib.llamaindex_judge.llamaindex_llms"


BINARY = ["faithfulness_binary"]


def test_a_reply_that_cannot_be_read_is_asked_for_once_more() -> None:
    chat = Chat(["It says so, YES.", "YES"])

    scores = judge_by(chat, asked(), TWO, BINARY)

    assert values(scores) == {"faithfulness_binary": 1.0}
    first, second = chat.requests
    assert second.messages[: len(first.messages)] == first.messages
    assert second.messages[1] == ("assistant", "It says so, YES.")
    assert second.messages[2][1].endswith("Reply with the one word YES or NO.")


@pytest.mark.parametrize("text", ["", "The answer is not YES", "yesterday: NO"])
def test_two_replies_that_cannot_be_read_are_no_score(text: str) -> None:
    chat = Chat([text] * 3)

    score = judge_by(chat, asked(), TWO, BINARY)["faithfulness_binary"]

    assert len(chat.requests) == 2
    assert score.state is ScoreState.UNSCORED
    began = f"`{text}`" if text else "an empty reply"
    assert score.reason == f"judge: no valid reply: not YES or NO: {began}"


def test_an_unreadable_step_leaves_the_whole_chain_unscored() -> None:
    chat = Chat(["NO", "maybe", "perhaps"])

    score = judge_by(chat, asked(), TWO, BINARY, mode="refine")["faithfulness_binary"]

    assert score.state is ScoreState.UNSCORED


def test_a_failing_call_leaves_the_other_criteria_scored() -> None:
    def script(request: Any) -> str | Exception:
        failing = evaluator_of(request) == "relevancy"
        return ProviderError("HTTP 500") if failing else "YES"

    scores = judge_by(Chat(script), asked(), TWO, ["faithfulness_binary", "relevancy"])

    assert scores["faithfulness_binary"].value == 1.0
    assert scores["relevancy"].reason == "judge: HTTP 500"


@pytest.mark.parametrize("error", [ProviderError("wrong key", fatal=True), BudgetError("a cap")])
def test_what_holds_for_every_further_call_is_raised(error: Exception) -> None:
    with pytest.raises(type(error)):
        judge_by(Chat(lambda _request: error), asked(), TWO)


def test_what_is_decided_without_a_judge_costs_no_call() -> None:
    chat = Chat([])
    system = SystemOutput(error=Failure(kind="system", message="crash"))
    provider = SystemOutput(error=Failure(kind="provider", message="HTTP 503"))
    textless = SystemOutput(chunks=(RetrievedChunk(doc_id="d"),), answer="A")
    grounded = ["context_relevancy", "faithfulness_binary", "relevancy"]

    def states(output: SystemOutput, criteria: Sequence[str] = grounded) -> set[Any]:
        return {score.state for score in judge_by(chat, asked(), output, criteria).values()}

    assert values(judge_by(chat, asked(), system)) == {
        "correctness": 1.0,
        "faithfulness_binary": 0.0,
        "relevancy": 0.0,
    }
    assert states(provider) == {ScoreState.UNSCORED}
    assert values(judge_by(chat, asked(), answered("A"), grounded)) == dict.fromkeys(grounded, 0.0)
    assert states(textless) == {ScoreState.UNSCORED}
    everything = sorted(plugin.CRITERIA - {PAIRWISE})
    unanswerable = judge_by(chat, asked(answerable=False), TWO, everything)
    assert {score.state for score in unanswerable.values()} == {ScoreState.NOT_APPLICABLE}
    assert judge_by(chat, asked(), TWO, ["faithfulness"])["faithfulness"].value is None
    assert chat.requests == []


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"max_steps": 1, "mode": "refine"}, "judge: 2 steps are needed, max_steps = 1"),
        (
            {"context_window": 2_000, "max_tokens": 1_500},
            "judge: no room for contexts in 2000 tokens",
        ),
    ],
)
def test_what_exceeds_a_limit_is_not_judged(settings: dict[str, Any], reason: str) -> None:
    chat = Chat([])
    output = answered("answer" * 500, "text" * 800, "text" * 800)

    score = judge_by(chat, asked(), output, BINARY, **settings)["faithfulness_binary"]

    assert (score.state, score.reason) == (ScoreState.UNSCORED, reason)
    assert chat.requests == []


@pytest.mark.parametrize(
    ("answer", "context", "reason"),
    [
        ("a.", "text" * 60_000, "judge: the contexts have 240000 characters, 200000 are judged"),
        ("answer" * 4_000, "text", "judge: the answer has 24000 characters, 20000 are judged"),
    ],
)
def test_what_is_too_long_is_not_judged_in_part(answer: str, context: str, reason: str) -> None:
    chat = Chat([])

    score = judge_by(chat, asked(), answered(answer, context), BINARY)["faithfulness_binary"]

    assert (score.state, score.reason) == (ScoreState.UNSCORED, reason)
    assert chat.requests == []


def test_the_fingerprint_covers_what_can_change_a_verdict() -> None:
    variants: list[dict[str, Any]] = [
        {},
        {"model": "other"},
        {"mode": "refine"},
        {"guidelines": "Be brief."},
        {"temperature": 0.5},
        {"context_window": 8_000},
        {"embedder": {"use": "hashing"}},
        {"llm": f"{LLMS}:ChatModel"},
        {"llm": f"{LLMS}:ChatModel", "llm_settings": {"model": "two"}},
        {"llm": f"{LLMS}:chat_model"},
    ]

    assert len({fingerprint(**one) for one in variants}) == len(variants)
    assert fingerprint() == fingerprint()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"provider": "p"}, "which model judges"),
        ({"llm": "a.b:C", "model": "m"}, "give one or the other"),
        ({"provider": "p", "model": "m", "llm_settings": {"a": 1}}, "llm_settings is for llm"),
        ({"llm": "no colon"}, "llm = 'no colon'"),
        ({"llm": "a.b:C", "mood": "x"}, "unknown key 'mood'; did you mean 'mode'"),
        ({"llm": "no_such_module:C"}, "No module named 'no_such_module'"),
        ({"llm": f"{LLMS}:nothing"}, "there is no 'nothing' in it"),
        ({"llm": f"{LLMS}:not_an_llm"}, "neither an LLM"),
        ({"llm": f"{LLMS}:SimpleNamespace"}, "has neither achat nor acomplete"),
        ({"llm": f"{LLMS}:chat_model", "llm_settings": {"a": 1}}, "an object, so llm_settings"),
    ],
)
def test_wrong_settings_are_said_before_anything_is_asked(
    settings: dict[str, Any], message: str
) -> None:
    async def run() -> None:
        async with plugin.create(settings, resources_of()):
            pass

    with pytest.raises(ConfigError, match=message):
        asyncio.run(run())


def test_a_judge_that_always_says_yes_fails_the_canaries() -> None:
    async def run() -> set[str]:
        judge = await make(obedient(lambda _evaluator, _prompt: True))
        found = await run_canaries(judge, criteria=["faithfulness_binary", "relevancy"])
        return {result.canary for result in found if not result.passed}

    assert asyncio.run(run()) == {"bad", "beside the point"}
