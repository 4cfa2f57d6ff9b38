"""An LLM of a LlamaIndex integration as the judge's model."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from ragate.clients.budget import Budget, Capped
from ragate.errors import BudgetError, ProviderError
from ragate.models import ScoreState
from tests.contrib.llamaindex_judge import llamaindex_llms
from tests.contrib.llamaindex_judge.llamaindex_factories import judge_by, make, resources_of
from tests.unit.judges.judge_factories import TWO, asked, values

LLMS = "tests.contrib.llamaindex_judge.llamaindex_llms"


BINARY = ["faithfulness_binary"]


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
    assert (budget.tally.calls, budget.snapshot().unpriced) == (3, 3)


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
    from ragate.contrib.llamaindex_judge.llm import tokens_of

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
    from ragate.contrib.llamaindex_judge import llm

    clock = iter(range(0, 1_000, 10))
    monkeypatch.setattr(llm, "time", SimpleNamespace(monotonic=lambda: float(next(clock))))

    async def run() -> None:
        judge = await make(None, resources_of(), llm=f"{LLMS}:Broken")
        for _ in range(9):
            await judge(BINARY, asked(), TWO)
        with pytest.raises(ProviderError) as caught:
            await judge(BINARY, asked(), TWO)
        assert caught.value.fatal

    asyncio.run(run())
