"""Each evaluator on its own, failures that stay failures, and any LLM by dotted path."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from ragate.clients.budget import Budget, Capped
from ragate.core.judging.criteria import PAIRWISE
from ragate.embedders import hashing
from ragate.errors import BudgetError, ConfigError, ProviderError
from ragate.judges import llamaindex, run_canaries
from ragate.models import Failure, RetrievedChunk, ScoreState, SystemOutput
from tests.unit.judges import llamaindex_llms
from tests.unit.judges.judge_factories import TWO, Chat, answered, asked, values
from tests.unit.judges.llamaindex_factories import (
    evaluator_of,
    fingerprint,
    is_refine,
    judge_by,
    make,
    obedient,
    resources_of,
)

LLMS = "tests.unit.judges.llamaindex_llms"
BINARY = ["faithfulness_binary"]
POINTS = ["context_relevancy"]


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
    assert score.reason == "judge: no valid reply: not YES or NO"


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
    everything = sorted(llamaindex.CRITERIA - {PAIRWISE})
    unanswerable = judge_by(chat, asked(answerable=False), TWO, everything)
    assert {score.state for score in unanswerable.values()} == {ScoreState.NOT_APPLICABLE}
    assert judge_by(chat, asked(), TWO, ["faithfulness"])["faithfulness"].value is None
    assert chat.requests == []


def test_blank_chunks_are_no_steps() -> None:
    chat = Chat(["NO"] * 2)

    judge_by(chat, asked(), answered("A", "one", " \n", "two"), BINARY, mode="refine")

    assert len(chat.requests) == 2


def test_contexts_that_exceed_the_window_go_on_in_a_chain() -> None:
    chat = obedient(lambda _evaluator, _prompt: False)
    output = answered("A", *("word " * 1_200 + f"end{number}" for number in range(3)))

    judge_by(chat, asked(), output, BINARY, context_window=3_000)

    assert [is_refine(request) for request in chat.requests] == [False, True]
    text = "".join(request.messages[0][1] for request in chat.requests)
    assert all(f"end{number}" in text for number in range(3))


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"max_context_chars": 200}, "judge: the contexts have 6400 characters, 200 are judged"),
        ({"max_answer_chars": 200}, "judge: the answer has 3000 characters, 200 are judged"),
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


def test_the_best_grade_over_the_references_counts_and_five_ends_it() -> None:
    sample = asked().model_copy(update={"references": ("one", "two", "three")})
    chat = Chat(["2\nno", "5\nyes"])

    scores = judge_by(chat, sample, TWO, ["correctness"])

    assert scores["correctness"].value == 5.0
    assert scores["correctness"].reason == "yes"
    assert len(chat.requests) == 2


def test_context_relevancy_is_four_points_and_stops_at_the_best() -> None:
    chat = Chat(["Partly. [RESULT] 1.5", "4.0", "never asked"])
    output = answered("A", "one", "two", "three")

    scores = judge_by(chat, asked(), output, POINTS, mode="refine")

    assert values(scores) == {"context_relevancy": 1.0}
    assert "Partly. [RESULT] 1.5" in chat.requests[1].messages[0][1]
    assert len(chat.requests) == 2


def test_answer_relevancy_is_two_points_without_contexts() -> None:
    chat = Chat(["Half. [RESULT] 1"])

    scores = judge_by(chat, asked("How long?"), TWO, ["answer_relevancy"])

    assert values(scores) == {"answer_relevancy": 0.5}
    assert TWO.answer is not None
    assert TWO.answer in chat.requests[0].messages[0][1]
    assert "Stored in Oslo." not in chat.requests[0].messages[0][1]


def test_guidelines_are_the_users_own_or_those_of_the_library() -> None:
    from llama_index.core.evaluation.guideline import DEFAULT_GUIDELINES

    reply = json.dumps({"passing": False, "feedback": "too long"})
    chat = Chat([reply] * 2)

    own = judge_by(chat, asked(), TWO, ["guideline"], guidelines="One sentence.")
    judge_by(chat, asked(), TWO, ["guideline"])

    assert own["guideline"].value == 0.0
    assert own["guideline"].reason == "too long"
    first, second = (request.messages[0][1] for request in chat.requests)
    assert "Guidelines: One sentence.\n" in first
    assert DEFAULT_GUIDELINES in second
    assert '"passing"' in first


def test_semantic_similarity_is_the_best_cosine_over_the_references() -> None:
    embedder = hashing.create({}, lambda _name: None)
    sample = asked().model_copy(update={"references": ("It was red.", "kept 30 days in Oslo")})
    output = answered("kept 30 days in Oslo")

    scores = judge_by(
        None,
        sample,
        output,
        ["semantic_similarity"],
        resources_of(embedder=embedder),
        embedder={"use": "hashing"},
    )

    assert scores["semantic_similarity"].value == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("vectors", "value"),
    [([[1, 0], [-1, 0]], 0.0), ([[3, 4], [4, 3]], 0.96), ([[0, 0], [1, 0]], None)],
)
def test_a_cosine_is_no_less_than_nought_and_needs_two_directions(
    vectors: list[list[float]], value: float | None
) -> None:
    async def embed(_texts: Sequence[str]) -> Any:
        return np.array(vectors, dtype=np.float32)

    made: Any = embed
    scores = judge_by(
        None,
        asked(),
        TWO,
        ["semantic_similarity"],
        resources_of(embedder=made),
        embedder={"use": "x"},
    )

    assert scores["semantic_similarity"].value == (pytest.approx(value) if value else value)


def test_without_an_embedder_similarity_is_unscored_and_not_offered() -> None:
    score = judge_by(Chat([]), asked(), TWO, ["semantic_similarity"])["semantic_similarity"]

    assert score.reason == "judge: semantic_similarity needs the table [policy.judge.embedder]"
    assert "semantic_similarity" not in asyncio.run(make(Chat([]))).criteria


def test_data_that_looks_like_a_variable_stays_data() -> None:
    chat = Chat(["NO"])

    judge_by(chat, asked(), answered("{context_str} {x}", "{query_str}"), BINARY)

    text = chat.requests[0].messages[0][1]
    assert "Information: {context_str} {x}\nContext: {query_str}\n" in text


def test_half_of_a_surrogate_pair_can_be_sent() -> None:
    chat = Chat(["YES"])

    judge_by(chat, asked(), answered("a\ud800", "b\udfff"), BINARY)

    assert chat.requests[0].messages[0][1].encode()


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


def test_another_prompt_of_the_library_is_another_judge(monkeypatch: pytest.MonkeyPatch) -> None:
    from llama_index.core.evaluation import relevancy
    from llama_index.core.prompts import PromptTemplate

    before = fingerprint()
    other = PromptTemplate(relevancy.DEFAULT_REFINE_TEMPLATE.get_template() + " ")
    monkeypatch.setattr(relevancy, "DEFAULT_REFINE_TEMPLATE", other)

    assert fingerprint() != before


def test_a_library_without_these_evaluators_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    from llama_index.core.evaluation import relevancy

    monkeypatch.delattr(relevancy, "DEFAULT_REFINE_TEMPLATE")

    with pytest.raises(ConfigError, match="evaluators of llama-index cannot be used"):
        fingerprint()


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
        async with llamaindex.create(settings, resources_of()):
            pass

    with pytest.raises(ConfigError, match=message):
        asyncio.run(run())


def test_an_integrations_calls_count_and_end_before_the_cap() -> None:
    llamaindex_llms.SEEN.clear()
    budget = Budget(max_calls=3, max_cost_usd=1.0)
    resources = resources_of(capped=lambda client: Capped(client, budget))

    async def run() -> None:
        judge = await make(None, resources, llm=f"{LLMS}:ChatModel")
        while True:
            await judge(BINARY, asked(), TWO)

    with pytest.raises(BudgetError, match="max_calls = 3 is reached"):
        asyncio.run(run())
    assert len(llamaindex_llms.SEEN) == 3
    assert (budget.calls, budget.snapshot().unpriced) == (3, 3)


@pytest.mark.parametrize(
    "reply",
    [
        {"additional_kwargs": {"prompt_tokens": 11, "completion_tokens": 7}},
        {"raw": {"usage": {"input_tokens": 11, "output_tokens": 7}}},
        {"raw": SimpleNamespace(usage=SimpleNamespace(input_tokens=11, output_tokens=7))},
        {"raw": {"prompt_eval_count": 11, "eval_count": 7}},
    ],
    ids=["openai", "anthropic", "anthropic-object", "ollama"],
)
def test_tokens_are_read_wherever_an_integration_puts_them(reply: dict[str, Any]) -> None:
    from ragate.judges.llamaindex._llm import tokens_of

    assert tokens_of(SimpleNamespace(**reply)) == (11, 7)
    assert tokens_of(SimpleNamespace(raw="text", additional_kwargs={"prompt_tokens": "11"})) == (
        0,
        0,
    )


def test_a_chat_model_of_an_integration_judges() -> None:
    llamaindex_llms.SEEN.clear()

    scores = judge_by(None, asked(), TWO, BINARY, llm=f"{LLMS}:ChatModel")

    assert values(scores) == {"faithfulness_binary": 1.0}
    ((role, text),) = llamaindex_llms.SEEN[0]
    assert role == "user"
    assert "Kept 30 days." in text


def test_a_completion_model_gets_the_messages_as_one_text() -> None:
    llamaindex_llms.SEEN.clear()
    criteria = ["faithfulness_binary", "correctness"]

    scores = judge_by(None, asked(), TWO, criteria, llm=f"{LLMS}:CompletionModel")

    assert values(scores) == {"faithfulness_binary": 0.0, "correctness": 5.0}
    assert [formatted for _, formatted in llamaindex_llms.SEEN] == [False, True]
    assert llamaindex_llms.SEEN[1][0].startswith("system: ")


def test_an_integration_that_fails_leaves_no_score_and_tells_no_key() -> None:
    resources = resources_of(environment={"OTHER_API_KEY": "canary-key-1234", "HOME": "key"})

    score = judge_by(None, asked(), TWO, BINARY, resources, llm=f"{LLMS}:Broken")[BINARY[0]]

    assert score.state is ScoreState.UNSCORED
    assert score.reason == "judge: llm: OSError: the key *** is wrong"


def test_an_integration_whose_key_is_refused_ends_the_judging() -> None:
    own: dict[str, Any] = {"llm": f"{LLMS}:Broken", "llm_settings": {"refused": True}}

    with pytest.raises(ProviderError) as caught:
        judge_by(None, asked(), TWO, BINARY, **own)

    assert caught.value.fatal
    assert caught.value.message == "llm: RefusedError: HTTP 401"
    assert caught.value.__cause__ is None


def test_an_llm_that_cannot_be_made_is_a_provider_that_is_out() -> None:
    resources = resources_of(environment={"A_KEY": "canary-key-1234"})

    with pytest.raises(ProviderError, match=r"cannot be made: ValueError: no key: \*\*\*"):
        judge_by(None, asked(), TWO, BINARY, resources, llm=f"{LLMS}:keyless")


def test_an_integration_that_fails_for_long_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    from ragate.judges.llamaindex import _llm

    clock = iter(range(0, 1_000, 10))
    monkeypatch.setattr(_llm, "time", SimpleNamespace(monotonic=lambda: float(next(clock))))

    async def run() -> None:
        judge = await make(None, resources_of(), llm=f"{LLMS}:Broken")
        for _ in range(9):
            await judge(BINARY, asked(), TWO)
        with pytest.raises(ProviderError) as caught:
            await judge(BINARY, asked(), TWO)
        assert caught.value.fatal

    asyncio.run(run())


def test_a_judge_that_always_says_yes_fails_the_canaries() -> None:
    async def run() -> set[str]:
        judge = await make(obedient(lambda _evaluator, _prompt: True))
        found = await run_canaries(judge, criteria=["faithfulness_binary", "relevancy"])
        return {result.canary for result in found if not result.passed}

    assert asyncio.run(run()) >= {"made up", "beside the point"}


def test_importing_the_judge_imports_no_library() -> None:
    import subprocess
    import sys

    code = "import sys, ragate.judges.llamaindex; print('llama_index' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "False"
