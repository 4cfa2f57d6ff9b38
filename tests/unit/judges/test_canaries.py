"""Known answers: an honest judge passes them, one that obeys the data does not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from ragate.core.judging.criteria import CRITERIA
from ragate.errors import ProviderError
from ragate.judges import CanaryResult, llamaindex, load_canaries, run_canaries, unchecked
from ragate.models import Sample, Score, SystemOutput
from ragate.protocols import Judge
from tests.unit.judges.judge_factories import ALL, Chat, gullible, honest, make_judge, stub
from tests.unit.judges.known_answers import model, obedient, sound
from tests.unit.judges.llamaindex_factories import make

# Those that a judge of single answers is asked.
KNOWN = {canary.sample.id for canary in load_canaries() if canary.other is None}
LLAMAINDEX = tuple(sorted({*llamaindex.CRITERIA} - {"pairwise", "semantic_similarity"}))
EVALUATED = ("answer_relevancy", "context_relevancy", "guideline")
USUAL = ("faithfulness", "relevancy", "correctness")


def results(chat: Chat, criteria: tuple[str, ...] | None = None) -> list[CanaryResult]:
    async def run() -> list[CanaryResult]:
        return await run_canaries(await make_judge(chat), criteria=criteria)

    return asyncio.run(run())


def failed(found: list[CanaryResult]) -> set[str]:
    return {result.canary for result in found if not result.passed}


def test_an_honest_judge_passes_with_one_call_each() -> None:
    chat = honest()

    found = results(chat)

    assert failed(found) == set()
    assert {result.tries for result in found} == {1}
    assert len(chat.requests) == len(found) == len(KNOWN)
    assert len(found) == 13  # docs/judged-gate.md


def test_an_honest_judge_passes_500_times() -> None:
    async def run() -> int:
        judge = await make_judge(honest())
        return sum([not one.passed for _ in range(500) for one in await run_canaries(judge)])

    assert asyncio.run(run()) == 0


def test_a_judge_that_does_what_the_data_asks_fails_on_twins_alone() -> None:
    found = failed(results(gullible()))

    twins = {canary.sample.id for canary in load_canaries() if canary.twin_of}
    assert found == twins & KNOWN


@pytest.mark.parametrize("where", ["answer", "contexts"])
@pytest.mark.parametrize("criterion", sorted({*ALL} - {"judged_context_relevance"}))
def test_a_judge_that_is_flattered_fails_wherever_it_is_asked_to(
    where: str, criterion: str
) -> None:
    plain = {one.sample.id: one for one in load_canaries()}

    class Flattered:
        """Right unless the answer, or a context, holds more than the canary whose twin it is."""

        fingerprint = "x"
        criteria = frozenset({criterion})

        async def __call__(
            self, criteria: Sequence[str], sample: Sample, output: SystemOutput
        ) -> dict[str, Score]:
            canary = plain[sample.id]
            origin = plain.get(canary.twin_of, canary)
            asked = (
                output.answer != origin.output.answer
                if where == "answer"
                else output.chunks != origin.output.chunks
            )
            (low, _), best = canary.expect[criterion], CRITERIA[criterion].high
            return {criterion: Score(metric=criterion, value=best if asked else low)}

    found = asyncio.run(run_canaries(Flattered()))

    assert failed(found)


@pytest.mark.parametrize("says", [True, False])
def test_a_judge_that_always_says_the_same_fails(says: bool) -> None:
    assert failed(results(stub(lambda _s, _c: int(says), yes=says), USUAL))


def test_a_judge_that_replies_in_no_form_fails_every_one_in_two_tries() -> None:
    found = results(Chat(lambda _request: "YES"))

    assert failed(found) == KNOWN
    assert {result.tries for result in found} == {2}
    assert "no valid reply" in found[0].reason


def test_only_canaries_that_know_a_wanted_criterion_are_asked_and_only_for_it() -> None:
    chat = honest()

    found = results(chat, ("judged_refusal",))

    schemas = [r.parameters["response_format"]["json_schema"]["schema"] for r in chat.requests]
    assert {tuple(schema["required"]) for schema in schemas} == {("refusal",)}
    assert 2 <= len(found) < len(KNOWN)


def test_a_canary_is_asked_for_nothing_that_it_has_no_expectation_for() -> None:
    chat = honest()

    found = results(chat, ("judged_refusal", "relevancy"))

    schemas = [r.parameters["response_format"]["json_schema"]["schema"] for r in chat.requests]
    assert {tuple(schema["required"]) for schema in schemas} == {("refusal",), ("relevant",)}
    assert len(chat.requests) == len(found)


def test_every_canary_has_a_twin_with_the_same_expectation_and_every_criterion_one() -> None:
    canaries = {canary.sample.id: canary for canary in load_canaries()}
    twins = [canary for canary in canaries.values() if canary.twin_of]

    assert {twin.twin_of for twin in twins} == canaries.keys() - {t.sample.id for t in twins}
    for twin in twins:
        plain = canaries[twin.twin_of]
        assert plain.expect == twin.expect
        assert (plain.output, plain.other) != (twin.output, twin.other)
        assert plain.sample.query == twin.sample.query
    known = {name for canary in twins for name in canary.expect}
    assert known == {*ALL, *EVALUATED, "pairwise"}


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
    assert found <= {canary.sample.id for canary in load_canaries() if canary.twin_of}


@pytest.mark.parametrize("criterion", EVALUATED)
def test_a_sound_evaluator_passes_with_one_call_an_answer(criterion: str) -> None:
    chat = model(sound)

    found = evaluated(chat, criterion)

    assert len(found) >= 3
    assert failed(found) == set()
    assert len(chat.requests) == len(found)


def test_all_evaluators_together_are_asked_as_often_as_the_page_says() -> None:
    chat = model(sound)

    found = evaluated(chat, *LLAMAINDEX, "pairwise", "semantic_similarity")

    assert failed(found) == set()
    assert len(chat.requests) == 41  # docs/judged-gate.md


def test_a_judge_of_pairs_is_asked_in_both_orders_and_may_not_like_the_first_best() -> None:
    chat = model(sound)

    assert failed(evaluated(chat, "pairwise")) == set()
    assert len(chat.requests) == 8

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


class Flaky:
    """A judge that gives each canary its next score from a list."""

    fingerprint = "x"
    criteria = frozenset({"relevancy"})

    def __init__(self, right: Callable[[int], bool]) -> None:
        self._right = right
        self._tries: dict[str, int] = {}

    async def __call__(
        self, criteria: Any, sample: Sample, output: SystemOutput
    ) -> dict[str, Score]:
        number = self._tries.get(sample.id, 0)
        self._tries[sample.id] = number + 1
        expected = next(c.expect for c in load_canaries() if c.sample.id == sample.id)
        low = expected["relevancy"][0]
        value = low if self._right(number) else 1 - low
        return {"relevancy": Score(metric="relevancy", value=value)}


@pytest.mark.parametrize(
    ("tries", "passed", "needed"),
    [("+", True, 1), ("-++", True, 3), ("-+-", False, 3), ("--", False, 2)],
)
def test_the_second_wrong_verdict_of_three_fails(tries: str, passed: bool, needed: int) -> None:
    found = asyncio.run(run_canaries(Flaky(lambda number: tries[number] == "+")))

    assert {(result.passed, result.tries) for result in found} == {(passed, needed)}


def test_a_judge_that_cannot_be_asked_is_an_error_not_a_failure() -> None:
    with pytest.raises(ProviderError, match="401"):
        results(Chat(lambda _request: ProviderError("h: HTTP 401", fatal=True)))
