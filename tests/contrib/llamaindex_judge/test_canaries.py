"""Known answers, asked by LlamaIndex's evaluators."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from ragate.contrib.llamaindex_judge.plugin import CRITERIA
from ragate.core.judging.canary_rule import CanaryResult
from ragate.judges import run_canaries, unchecked, wordings
from ragate.protocols import Judge
from tests.contrib.llamaindex_judge.known_answers import model, obedient, sound
from tests.contrib.llamaindex_judge.llamaindex_factories import make
from tests.unit.judges.judge_factories import Chat

WORDINGS = {wording.wording for wording in wordings()}
ASKED = tuple(sorted({*CRITERIA} - {"pairwise", "semantic_similarity"}))
EVALUATED = ("answer_relevancy", "context_relevancy", "guideline")


def failed(found: list[CanaryResult]) -> set[str]:
    return {result.canary for result in found if not result.passed}


async def evaluator(chat: Chat, **settings: Any) -> Judge:
    """Return the llamaindex judge with an embedder, so that it knows all of its criteria."""
    table = {"use": "local"} if settings.pop("embeds", True) else {}
    return await make(chat, embedder=table, **settings)


def evaluated(chat: Chat, *criteria: str, **settings: Any) -> list[CanaryResult]:
    async def run() -> list[CanaryResult]:
        return await run_canaries(await evaluator(chat, **settings), criteria=criteria)

    return asyncio.run(run())


@pytest.mark.parametrize("criterion", EVALUATED)
@pytest.mark.parametrize("says", [True, False], ids=["full marks", "no marks"])
def test_an_evaluator_that_always_says_the_same_fails(criterion: str, says: bool) -> None:
    assert failed(evaluated(model(lambda _kind, _text: says), criterion))


@pytest.mark.parametrize("criterion", EVALUATED)
def test_an_evaluator_that_does_what_the_data_asks_fails_on_twins_alone(criterion: str) -> None:
    found = failed(evaluated(model(obedient), criterion))

    assert found
    assert found <= WORDINGS


@pytest.mark.parametrize("criterion", EVALUATED)
def test_a_sound_evaluator_passes_with_one_call_an_answer(criterion: str) -> None:
    chat = model(sound)

    found = evaluated(chat, criterion)

    assert {one.canary for one in found} > WORDINGS
    assert failed(found) == set()
    assert len(chat.requests) == len(found)


def test_all_evaluators_together_are_asked_as_often_as_the_page_says() -> None:
    chat = model(sound)

    found = evaluated(chat, *ASKED, "pairwise", "semantic_similarity")

    assert failed(found) == set()
    assert len(chat.requests) == 62  # docs/judge.md


def test_a_judge_of_pairs_is_asked_in_both_orders_and_may_not_like_the_first_best() -> None:
    chat = model(sound)

    assert failed(evaluated(chat, "pairwise")) == set()
    assert len(chat.requests) == 2 * (2 + len(WORDINGS))

    for judge in (lambda *_: True, lambda *_: False, obedient):
        assert failed(evaluated(model(judge), "pairwise"))


def test_what_no_canary_knows_is_named() -> None:
    async def run(*criteria: str, **settings: Any) -> tuple[str, ...]:
        return unchecked(await evaluator(Chat([]), **settings), criteria or None)

    assert asyncio.run(run()) == ()
    assert asyncio.run(run(guidelines="Be kind.")) == ("guideline",)
    assert asyncio.run(run("relevancy", guidelines="Be kind.")) == ()
    assert asyncio.run(run("semantic_similarity", embeds=False)) == ()


def test_guidelines_of_the_users_own_have_no_known_answer() -> None:
    chat = model(sound)

    assert evaluated(chat, "guideline", guidelines="Be kind.") == []
    assert chat.requests == []
