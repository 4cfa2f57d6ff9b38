"""Known answers: an honest judge passes them, one that obeys the data does not."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable, Sequence
from typing import Any

import pytest

from benchmarks.canary_table import Bag
from ragate.core.judging.canary_rule import CanaryResult, voided
from ragate.core.judging.criteria import CRITERIA
from ragate.errors import ProviderError
from ragate.judges import (
    Canary,
    canaries_for,
    dress,
    planted,
    run_canaries,
    unchecked,
    wordings,
)
from ragate.judges._canaries.known_answers import HARD, Place
from ragate.models import Sample, Score, SystemOutput
from ragate.protocols import ChatRequest
from tests.unit.judges.every_canary import every_canary
from tests.unit.judges.judge_factories import (
    ALL,
    Chat,
    gullible,
    honest,
    make_judge,
    stub,
    tried_apart,
)
from tests.unit.judges.pair_judge import PairJudge

PLAIN = {*HARD, "right", "beside the point", "bad", "refusal", "right without a source"}
PLAIN |= {"taken over from beside the point"}
PLAIN |= {"right calls in other words", "calls of something else"}
WORDINGS = {wording.wording for wording in wordings()}
CONCURRENT = 8  # judgements at once, where nobody says otherwise
EVALUATED = ("answer_relevancy", "context_relevancy", "guideline")
USUAL = ("faithfulness", "relevancy", "correctness")


def results(chat: Chat, criteria: tuple[str, ...] | None = None) -> list[CanaryResult]:
    async def run() -> list[CanaryResult]:
        return await run_canaries(await make_judge(chat), criteria=criteria)

    return asyncio.run(run())


def dress_of(canary: Canary) -> Canary:
    """Return the canary without the text that was planted in it."""
    return every_canary()[canary.sample.id.removeprefix(f"{canary.wording}, ")][0]


def failed(found: list[CanaryResult]) -> set[str]:
    return {result.canary for result in found if not result.passed}


def questions(criteria: tuple[str, ...] | None = None) -> int:
    async def run() -> int:
        return len(canaries_for(await make_judge(Chat([])), criteria))

    return asyncio.run(run())


def test_an_honest_judge_passes_with_one_call_each() -> None:
    chat = honest()

    found = results(chat)

    assert failed(found) == set()
    assert {result.tries for result in found} == {1}
    assert len(chat.requests) == questions() == 56  # docs/judge.md


def test_the_usual_criteria_cost_no_more_calls_than_there_are_wordings_and_kinds() -> None:
    assert questions(USUAL) == len(WORDINGS) + 9 == 35  # docs/judge.md


def test_an_honest_judge_passes_every_time() -> None:
    async def run() -> int:
        judge = await make_judge(honest())
        return sum([not one.passed for _ in range(10) for one in await run_canaries(judge)])

    assert asyncio.run(run()) == 0


def test_a_judge_that_does_what_the_data_asks_fails_on_every_wording_and_on_no_plain_one() -> None:
    assert failed(tried_apart(asyncio.run(make_judge(gullible())))) == WORDINGS


def test_nothing_is_asked_after_a_text_that_got_its_verdict() -> None:
    chat = gullible()
    found = results(chat, ("correctness_binary",))
    obeyed = failed(found)

    assert obeyed <= WORDINGS
    assert len(obeyed) <= CONCURRENT
    assert voided(found, ["correctness_binary"]).judge
    assert len(chat.requests) <= 30


@pytest.mark.parametrize("where", ["answer", "contexts"])
@pytest.mark.parametrize("criterion", sorted({*ALL} - {"judged_context_relevance"}))
def test_a_judge_that_is_flattered_fails_wherever_it_is_asked_to(
    where: str, criterion: str
) -> None:
    class Flattered:
        """Right unless the answer, or a context, holds more than the plain one."""

        fingerprint = "x"
        criteria = frozenset({criterion})

        async def __call__(
            self, criteria: Sequence[str], sample: Sample, output: SystemOutput
        ) -> dict[str, Score]:
            canary = every_canary()[sample.id][0]
            plain = dress_of(canary).output
            asked = (
                output.answer != plain.answer
                if where == "answer"
                else output.chunks != plain.chunks
            )
            low, high = canary.expect[criterion]
            known = CRITERIA[criterion]
            best = known.low if known.lower_is_better else known.high
            least = high if known.lower_is_better else low
            return {criterion: Score(metric=criterion, value=best if asked else least)}

    found = asyncio.run(run_canaries(Flattered()))

    assert failed(found)


def test_a_judge_that_compares_words_is_not_believed() -> None:
    for mark in (0.3, 0.6, 0.9):
        bag = Bag(frozenset(USUAL), mark, "containment", weighted=False, small=True, ends=True)
        assert voided(asyncio.run(run_canaries(bag)), USUAL)


def test_what_looks_right_and_is_wrong_is_asked_under_every_criterion_that_grades_truth() -> None:
    async def run() -> dict[str, int]:
        asked = canaries_for(await make_judge(Chat([])), USUAL)
        kinds = [question.names for question in asked if question.canary.name in HARD]
        return {name: sum(name in names for names in kinds) for name in USUAL}

    assert asyncio.run(run()) == {"faithfulness": 6, "correctness": 5, "relevancy": 1}


@pytest.mark.parametrize("says", [True, False])
def test_a_judge_that_always_says_the_same_fails(says: bool) -> None:
    assert failed(results(stub(lambda _s, _c: int(says), yes=says), USUAL))


def test_a_judge_that_holds_to_the_form_in_none_is_given_up_after_its_plain_answers() -> None:
    chat = Chat(lambda _request: "I think ```it``` is\nfine")

    with pytest.raises(ProviderError, match=r"form in none of 12 .*not JSON: `I think '''it''' is"):
        results(chat, USUAL)

    assert len(chat.requests) == 2 * 12


def test_a_judge_that_holds_to_the_form_at_last_is_asked_like_any_other() -> None:
    sound, asked = honest(), []

    def late(request: ChatRequest) -> str:
        asked.append(request)
        return str(sound._next(request)) if len(asked) > 12 else "YES"

    found = results(Chat(late))

    assert any(result.passed and result.tries > 1 for result in found)


def test_only_canaries_that_know_a_wanted_criterion_are_asked_and_only_for_it() -> None:
    chat = honest()

    found = results(chat, ("judged_refusal",))

    schemas = [r.parameters["response_format"]["json_schema"]["schema"] for r in chat.requests]
    assert {tuple(schema["required"]) for schema in schemas} == {("refusal",)}
    assert {one.canary for one in found} == {"right", "refusal"} | WORDINGS


def test_a_canary_is_asked_for_nothing_that_it_has_no_expectation_for() -> None:
    chat = honest()

    results(chat, ("judged_refusal", "relevancy"))

    asked = {
        tuple(request.parameters["response_format"]["json_schema"]["schema"]["required"])
        for request in chat.requests
    }
    assert asked == {("refusal",), ("relevant",), ("refusal", "relevant")}


def test_criteria_that_no_canary_knows_have_a_built_in_one_show_whether_the_judge_obeys() -> None:
    class Own(Flaky):
        criteria = frozenset({"tone", "relevancy"})

    asked = canaries_for(Own(lambda _number: True), ("tone",))

    assert {name for question in asked for name in question.names} == {"relevancy"}
    assert {question.canary.wording for question in asked} == {"", *WORDINGS}


def test_a_wording_differs_from_its_plain_answer_in_nothing_but_itself() -> None:
    for sample_id, moved in every_canary().items():
        for canary in moved:
            plain = dress_of(canary)
            assert canary.expect == plain.expect
            assert canary.other == plain.other
            same = (canary.output, canary.sample.query) == (plain.output, plain.sample.query)
            assert same != bool(canary.wording), sample_id


@pytest.mark.parametrize("place", ["answer", "context", "question", "long context"])
def test_a_wording_stands_where_its_place_says_and_nowhere_else(place: Place) -> None:
    wording = next(one for one in wordings() if one.place == place)
    plain = dress("right", 0)

    canary = planted(plain, wording, place)

    holding = {
        "question": canary.sample.query,
        "answer": canary.output.answer or "",
        "context": "".join(chunk.text for chunk in canary.output.chunks),
    }
    assert [name for name, text in holding.items() if wording.text in text] == [place.split()[-1]]
    is_long = len(holding["context"]) > 4_000
    assert is_long == (place == "long context")


@pytest.mark.parametrize("criterion", sorted({*ALL} - {"context_utilisation"}))
@pytest.mark.parametrize("says", [True, False])
def test_a_judge_that_always_says_the_same_costs_at_most_30_calls(
    criterion: str, says: bool
) -> None:
    chat = stub(lambda _sample, _criterion: int(says), yes=says)

    assert voided(results(chat, (criterion,)), (criterion,))

    assert len(chat.requests) <= 30


def test_a_criterion_is_asked_nothing_more_once_a_plain_answer_was_judged_wrongly() -> None:
    wrong = stub(lambda _sample, _criterion: 1, yes=True)

    async def run() -> list[CanaryResult]:
        one_at_a_time = asyncio.Semaphore(1)
        judge = await make_judge(wrong)
        return await run_canaries(judge, criteria=("relevancy",), gate=one_at_a_time)

    found = asyncio.run(run())

    assert [(one.canary, one.passed, one.tries) for one in found] == [
        ("right", True, 1),
        ("beside the point", False, 4),
    ]
    assert len(wrong.requests) == 5


def test_what_is_wrong_is_said_with_the_reply() -> None:
    found = results(Chat(lambda _request: '{"relevant": true}'), ("relevancy",))

    assert {one.reason for one in found if not one.passed} == {
        'relevancy is 1, expected 0 (the reply: `{"relevant": true}`)'
    }


def test_a_judge_that_answers_nothing_in_time_is_stopped_after_its_plain_answers() -> None:
    asked = 0

    class Silent(Flaky):
        async def __call__(self, criteria: Any, sample: Sample, output: SystemOutput) -> Any:
            nonlocal asked
            asked += 1
            await asyncio.sleep(60)

    with pytest.raises(ProviderError, match="answered none of 12 test questions within"):
        asyncio.run(run_canaries(Silent(lambda _number: True), timeout_s=0.01))

    assert asked == 12


def test_every_criterion_has_an_answer_that_deserves_it_and_one_that_does_not() -> None:
    plain = [one for moved in every_canary().values() for one in moved if not one.wording]
    bounds = {(name, limits) for canary in plain for name, limits in canary.expect.items()}

    for name in {*ALL, *EVALUATED, "pairwise"}:
        lows = [limits[0] for known, limits in bounds if known == name]
        highs = [limits[1] for known, limits in bounds if known == name]
        assert max(lows) > min(highs), name


def test_no_known_answer_is_asked_twice_in_the_same_dress() -> None:
    async def run() -> None:
        for question in canaries_for(await make_judge(Chat([]))):
            assert len({dressed.sample.query for dressed in question.dresses}) == 5

    asyncio.run(run())


def test_pairs_are_asked_of_a_judge_that_compares_and_no_place_may_win() -> None:
    judge = PairJudge(lambda _one, _other: 0.0)
    found = asyncio.run(run_canaries(judge, criteria=("pairwise",)))

    assert failed(found) == set()
    assert len(judge.compared) == len(found) == 2 + len(WORDINGS)
    for value in (0.0, 1.0):
        biased = PairJudge(lambda _one, _other: value, is_sound=False)  # noqa: B023
        assert failed(asyncio.run(run_canaries(biased, criteria=("pairwise",))))


def test_what_passes_by_a_text_of_the_users_has_no_known_answer_and_is_named() -> None:
    judge = PairJudge(lambda _one, _other: 0.0)

    assert asyncio.run(run_canaries(judge, criteria=("guideline",))) == []
    assert judge.asked == judge.compared == []
    assert unchecked(judge) == ("guideline",)
    assert unchecked(judge, ("relevancy",)) == ()


class Flaky:
    """A judge that is right or wrong by the number of the try at one known answer."""

    fingerprint = "x"
    criteria = frozenset({"relevancy"})

    def __init__(self, right: Callable[[int], bool]) -> None:
        self._right = right
        self._tries: dict[str, int] = {}

    async def __call__(
        self, criteria: Any, sample: Sample, output: SystemOutput
    ) -> dict[str, Score]:
        canary = every_canary()[sample.id][0]
        number = self._tries.get(canary.name, 0)
        self._tries[canary.name] = number + 1
        low = canary.expect["relevancy"][0]
        value = low if self._right(number) else 1 - low
        return {"relevancy": Score(metric="relevancy", value=value)}


@pytest.mark.parametrize(
    ("tries", "passed", "needed"),
    [("+", True, 1), ("-++", True, 3), ("-+-+", True, 4), ("----", False, 4), ("-+---", False, 5)],
)
def test_the_fourth_wrong_verdict_of_five_fails(tries: str, passed: bool, needed: int) -> None:
    found = asyncio.run(run_canaries(Flaky(lambda number: tries[number] == "+")))

    assert {(result.passed, result.tries) for result in found} == {(passed, needed)}


def test_a_judge_that_obeys_one_wording_alone_is_voided_by_it() -> None:
    for wording in wordings():

        class Obeys:
            fingerprint = "x"
            criteria = frozenset({"faithfulness", "relevancy"})

            async def __call__(
                self, criteria: Any, sample: Sample, output: SystemOutput
            ) -> dict[str, Score]:
                canary = every_canary()[sample.id][0]
                turn = 1.0 if canary.wording == wording.wording else 0.0  # noqa: B023
                return {
                    name: Score(metric=name, value=abs(turn - float(canary.expect[name][0] > 0)))
                    for name in criteria
                }

        void = voided(asyncio.run(run_canaries(Obeys())), Obeys.criteria)
        assert wording.wording in void.judge
        assert not void.criteria


@pytest.mark.parametrize(
    "kind",
    ["[가-힣]{4}", "[ऀ-ॿ]{3}", "([0-9a-f]{2}){30}", "<start_of_turn>", "```", r"\\textcolor\{white"],
)
def test_a_kind_that_shares_a_wording_with_another_asks_for_a_verdict_by_itself(kind: str) -> None:
    (text,) = (one.text for one in wordings() if re.search(kind, one.text))
    behind = re.split(kind, text, maxsplit=1)[-1]

    assert re.search("upported|correctness|737570706f72746564", behind)


def test_a_judge_that_cannot_be_asked_is_an_error_not_a_failure() -> None:
    with pytest.raises(ProviderError, match="401"):
        results(Chat(lambda _request: ProviderError("h: HTTP 401", fatal=True)))
