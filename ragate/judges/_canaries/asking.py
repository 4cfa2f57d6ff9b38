"""A judge is asked for what is known, before it is believed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from itertools import chain
from typing import NamedTuple

from ragate.clients.replies import overheard, quoted
from ragate.core.judging.applicability import PAIRWISE, ran_out_of_time
from ragate.core.judging.canary_rule import (
    DRESSES,
    MOST_WRONG,
    NO_VALID_REPLY,
    CanaryResult,
    is_settled,
)
from ragate.core.judging.own_criterion import PLANTED_WORD
from ragate.errors import ProviderError
from ragate.judges._canaries.known_answers import (
    BAD,
    BETTER,
    BREAKS,
    BY_HEART,
    CALLS_RIGHT,
    CALLS_WRONG,
    HARD,
    KEEPS,
    KINDS,
    REFUSAL,
    RIGHT,
    TAKEN_OVER,
    UNWANTED,
    WORSE,
    Canary,
    Material,
    Place,
    Wording,
    known_calls,
    planted,
    topics,
    wordings,
)
from ragate.models import ExpectedCall, RetrievedChunk, Sample, Score, SystemOutput, ToolCall
from ragate.models.progress import Progress, Show, unshown
from ragate.protocols import Judge, JudgeAbilities, judge_abilities

AtMost = Callable[[float | None], AbstractAsyncContextManager[object]]
_ANY = 0.01  # less than one guideline of the longest list
# Where the kinds of one wording are looked for: the first that knows a criterion is taken.
_TALKED_UP = (BAD, REFUSAL, WORSE, BY_HEART, TAKEN_OVER, UNWANTED, CALLS_WRONG)
_TALKED_DOWN = (RIGHT, BETTER, CALLS_RIGHT)
_BESIDE_MAIN = 4  # wordings that the smaller groups of a judge with one call are asked as well
_PROBE = "relevancy"
_WITHOUT_MODEL = frozenset({"semantic_similarity"})
_WITHOUT_ANSWER = frozenset({"context_relevancy"})
_SLACK = 1e-9


async def run_canaries(
    judge: Judge,
    *,
    criteria: Collection[str] | None = None,
    timeout_s: float | None = None,
    gate: asyncio.Semaphore | None = None,
    at_most: AtMost = asyncio.timeout,
    plain_done: asyncio.Event | None = None,
    show: Show = unshown,
) -> list[CanaryResult]:
    """Return one result for each known answer and criterion of `canaries_for`.

    One passes when its first judgement is right. After a wrong one the others of its dresses are
    asked, until two are right or four are wrong; no judgement counts as a wrong one. The judge has
    to answer afresh each time: a memo between it and its model would repeat the same answer.

    Plain answers come first. A criterion under which one of them is judged wrongly is void,
    whatever comes, and is asked nothing more. A text that gets its verdict voids the judge: then
    nothing more is asked at all.

    Args:
        criteria: What the run asks of the judge; None for all that it can judge.
        timeout_s: Seconds for one judgement; one that takes longer counts as a wrong one.
        gate: Lets in as many at once as the judge may be asked.
        at_most: From these seconds to what ends a judgement that takes longer.
        plain_done: Set once the plain answers are in.
        show: Shows how many have ended, those of them that were judged wrongly as failed.

    Raises:
        ProviderError: the judge cannot be asked, or no reply to a plain answer has the form that
            was asked for: fatal.
    """
    gate = gate or asyncio.Semaphore(8)
    questions = canaries_for(judge, criteria)
    void: set[str] = set()
    every = frozenset(chain.from_iterable(one.names for one in questions))
    trials = [CanaryTrial(judge, one, timeout_s, at_most, void, every) for one in questions]
    plain = [one for one in trials if one.is_plain]
    course = _Course(len(trials), show)
    results = await _tried(plain, gate, course)
    _refuse_in_vain(plain, timeout_s)
    if plain_done is not None:
        plain_done.set()
    void.update(one.criterion for one in results if not one.passed)
    left = [one for one in trials if not (one.is_plain or void.issuperset(one.reasons))]
    course.expect(len(plain) + len(left))
    return results + await _tried(left, gate, course)


@dataclass
class _Course:
    """How many known answers have ended, of how many.

    Attributes:
        failed: Those that were judged wrongly.
    """

    total: int
    show: Show
    ended: int = 0
    failed: int = 0

    def expect(self, total: int) -> None:
        """Note that there are so many; what needs no asking any more is shown to be over."""
        if self.ended == total < self.total:
            self._tell(total)
        self.total = total

    def end(self, trial: CanaryTrial) -> None:
        self.ended += 1
        self.failed += any(not one.passed for one in trial.results())
        self._tell(self.total)

    def _tell(self, total: int) -> None:
        self.show(Progress("trying the judge", self.ended, total, "test answers", 0.0, self.failed))


async def _tried(
    trials: Sequence[CanaryTrial], gate: asyncio.Semaphore, course: _Course
) -> list[CanaryResult]:
    async def run(trial: CanaryTrial) -> None:
        async with gate:
            await trial.ask()
        course.end(trial)

    tasks = [asyncio.ensure_future(run(one)) for one in trials]
    try:
        await asyncio.gather(*tasks)
    finally:
        for task in tasks:
            task.cancel()
    return [result for one in trials for result in one.results()]


def _refuse_in_vain(trials: Sequence[CanaryTrial], timeout_s: float | None) -> None:
    """Stop a judge that gave no verdict: asking on would be paid for in vain."""
    if not trials or not all(one.is_in_vain for one in trials):
        return
    all_said = list(chain.from_iterable(one.said for one in trials))
    asked = f"{sum(max(map(len, one.reasons.values())) for one in trials)} test questions"
    if all(map(ran_out_of_time, all_said)):
        limit = timeout_s or 0.0
        raise ProviderError(
            f"the judge answered none of {asked} within {limit:g} s",
            remedy="ask one at a time and wait longer: concurrency = 1 and timeout_s = "
            f"{2 * limit:g} or more in [policy.judge]",
            fatal=True,
        )
    said = all_said[0]
    raise ProviderError(
        f"the judge held to the form in none of {asked}: "
        f"{said.partition(NO_VALID_REPLY)[2].lstrip(': ') or said}",
        remedy='try another format in [policy.judge] ("json" or "text"), a larger max_tokens '
        "where one is set, or another model",
        fatal=True,
    )


class CanaryTrial:
    """One known answer as it is asked about; a later dress is asked for open criteria alone.

    Args:
        void: Criteria that are asked nothing more. A plain answer adds those that it fails; not
            where no reply is a verdict, since a judge that never gives one has to be told apart.
        every: All criteria, which a text that gets its verdict adds.

    Attributes:
        reasons: By criterion, what was wrong with each verdict, "" where nothing was.
    """

    def __init__(
        self,
        judge: Judge,
        question: CanaryQuestion,
        timeout_s: float | None,
        at_most: AtMost,
        void: set[str],
        every: frozenset[str],
    ) -> None:
        self._judge, self._question = judge, question
        self._timeout_s, self._at_most = timeout_s, at_most
        self._void, self._every = void, every
        self.is_plain = question.is_plain
        self.reasons: dict[str, list[str]] = {name: [] for name in question.names}

    @property
    def said(self) -> list[str]:
        """Return what was wrong with its verdicts."""
        return list(chain.from_iterable(self.reasons.values()))

    @property
    def is_in_vain(self) -> bool:
        """Whether it got no reply in time, or none of the form asked for."""
        return all(NO_VALID_REPLY in each or ran_out_of_time(each) for each in self.said)

    async def ask(self) -> None:
        for canary in self._question.dresses:
            still = (name for name, found in self.reasons.items() if not _have_settled(found))
            if names := tuple(name for name in still if name not in self._void):
                await self._ask_dress(canary, names)

    def results(self) -> list[CanaryResult]:
        return [
            _result(self._question, name, found)
            for name, found in self.reasons.items()
            if _have_settled(found)
        ]

    async def _ask_dress(self, canary: Canary, still: tuple[str, ...]) -> None:
        try:
            with overheard() as replies:
                async with self._at_most(self._timeout_s):
                    scores = await _verdicts(self._judge, canary, still)
            found = {name: _wrong(scores, canary, name, replies) for name in still}
        except TimeoutError:
            found = dict.fromkeys(still, f"no verdict within {self._timeout_s:g} s")
        for name, wrong in found.items():
            self.reasons[name].append(wrong)
        failed = {name for name in still if _wrongs(self.reasons[name]) >= MOST_WRONG}
        if self.is_plain and not self.is_in_vain:
            self._void |= failed
        elif failed and canary.wording:
            self._void |= self._every


def _wrongs(reasons: Sequence[str]) -> int:
    return sum(map(bool, reasons))


def _have_settled(reasons: Sequence[str]) -> bool:
    wrong = _wrongs(reasons)
    return is_settled(len(reasons) - wrong, wrong)


def _result(question: CanaryQuestion, name: str, reasons: Sequence[str]) -> CanaryResult:
    canary = question.canary
    return CanaryResult(
        canary=canary.name,
        criterion=question.stands_for or name,
        injected=bool(canary.wording),
        hard=canary.name in HARD,
        passed=_wrongs(reasons) < MOST_WRONG,
        tries=len(reasons),
        reason=next(filter(None, reversed(reasons)), ""),
    )


async def _verdicts(judge: Judge, canary: Canary, names: tuple[str, ...]) -> Mapping[str, Score]:
    if canary.other is None:
        return await judge(names, canary.sample, canary.output)
    compare = judge_abilities(judge).compare
    assert compare is not None, "only such a judge is asked"
    return {PAIRWISE: await compare(canary.sample, canary.output, canary.other)}


def _wrong(scores: Mapping[str, Score], canary: Canary, name: str, replies: Sequence[str]) -> str:
    """Return in which way a sound judge would have scored otherwise, "" where it would not."""
    low, high = canary.expect[name]
    score = scores.get(name)
    if score is None or score.value is None:
        return f"{name}: {score.reason if score else 'no score'}"
    if not low - _SLACK <= score.value <= high + _SLACK:
        right = f"{low:g}" if low == high else f"{low:g} to {high:g}"
        reply = f" (the reply: {quoted(replies[-1])})" if replies else ""
        return f"{name} is {score.value:g}, expected {right}{reply}"
    return ""


# Which known answers a judge is asked, and for which criteria.
#
# All wordings are asked, whatever number of criteria is in use: a judge that has one call for
# all of them is asked for all, and one with a question for each is asked for one of them in
# turn.


class CanaryQuestion(NamedTuple):
    """One known answer and the criteria that it is asked for; another dress for every try.

    Attributes:
        stands_for: The criterion that it tries, where another name is asked for.
    """

    dresses: tuple[Canary, ...]
    names: tuple[str, ...]
    stands_for: str = ""

    @property
    def canary(self) -> Canary:
        """The dress of the first try."""
        return self.dresses[0]

    @property
    def is_plain(self) -> bool:
        """Whether a judge that gets it wrong is not believed under its criteria."""
        return not self.canary.wording and self.canary.name not in HARD


def canaries_for(judge: Judge, criteria: Collection[str] | None = None) -> list[CanaryQuestion]:
    """Return what the judge is asked.

    Where none of the criteria has a known answer, as with those of a configuration, a built-in one
    shows whether the judge can be talked to.

    Args:
        criteria: What the run asks of the judge; None for all that it can judge.
    """
    wanted = _asked_for(judge, criteria)
    asked = wanted & _known(judge)
    if not asked and wanted - _WITHOUT_MODEL - judge_abilities(judge).own_rules:
        asked = frozenset({_PROBE}) & _known(judge)
    return [*_plain(asked), *_guided(judge, wanted), *_injected(judge, asked)]


def unchecked(judge: Judge, criteria: Collection[str] | None = None) -> tuple[str, ...]:
    """Return the criteria that a model is asked for and that no canary knows, sorted."""
    known = _known(judge) | judge_abilities(judge).planted.keys()
    return tuple(sorted(_asked_for(judge, criteria) - known - _WITHOUT_MODEL))


def _asked_for(judge: Judge, criteria: Collection[str] | None) -> frozenset[str]:
    judged = judge.criteria | ({PAIRWISE} if judge_abilities(judge).compare else set())
    return judged if criteria is None else judged & frozenset(criteria)


def _known(judge: Judge) -> frozenset[str]:
    """Return the criteria of the judge for which there is a known answer."""
    judged = _asked_for(judge, None)
    known = frozenset(name for material in KINDS.values() for name in material.expect)
    return known & judged - judge_abilities(judge).own_rules


def _guided(judge: Judge, wanted: frozenset[str]) -> list[CanaryQuestion]:
    """Return what shows whether the judge sees a broken guideline among those of a list."""
    return [
        CanaryQuestion(
            tuple(guided(kind, number, twin) for number in range(DRESSES)), (twin,), name
        )
        for name, twin in sorted(judge_abilities(judge).planted.items())
        if name in wanted
        for kind in (KEEPS, BREAKS)
    ]


def _plain(asked: frozenset[str]) -> list[CanaryQuestion]:
    return [
        CanaryQuestion(tuple(dress(kind, number) for number in range(DRESSES)), names)
        for kind in KINDS
        if (names := _names(kind, asked))
    ]


def _injected(judge: Judge, asked: frozenset[str]) -> list[CanaryQuestion]:
    abilities = judge_abilities(judge)
    questions = []
    for number, wording in enumerate(wordings()):
        groups = _groups(wording, asked)
        if not groups:
            continue
        if abilities.apart:
            singles = [(kind, (name,)) for kind, names in groups for name in names]
            groups = [singles[number % len(singles)]]
        elif number >= _BESIDE_MAIN:
            groups = [max(groups, key=lambda group: len(group[1]))]
        for kind, names in groups:
            place = _place(wording, abilities, names) if abilities.apart else wording.place
            dresses = (dress(kind, number + step) for step in range(DRESSES))
            canaries = tuple(planted(canary, wording, place) for canary in dresses)
            questions.append(CanaryQuestion(canaries, names))
    return questions


def _groups(wording: Wording, asked: frozenset[str]) -> list[tuple[str, tuple[str, ...]]]:
    """Return the kinds of answers that the wording is planted in, with their criteria."""
    kinds = _TALKED_UP if wording.asks == "good" else _TALKED_DOWN
    return [(kind, names) for kind in kinds if (names := _names(kind, asked))]


def _place(wording: Wording, judge: JudgeAbilities, names: tuple[str, ...]) -> Place:
    """Return where an evaluator reads it: not all of them are given contexts, or the answer."""
    grounded = frozenset(names) if judge.grounded is None else judge.grounded
    if wording.place == "answer" and _WITHOUT_ANSWER.issuperset(names):
        return "context"
    if wording.place != "answer" and wording.place != "question" and grounded.isdisjoint(names):
        return "answer"
    return wording.place


def _names(kind: str, asked: frozenset[str]) -> tuple[str, ...]:
    return tuple(sorted(asked & KINDS[kind].expect.keys()))


# Dressing one: from a kind of known answer to one that can be asked about.


def dress(kind: str, number: int) -> Canary:
    """Return a known answer about one of the topics, counted round and round."""
    named = topics()
    own, following, third = (named[(number + step) % len(named)] for step in range(3))
    material = KINDS[kind]
    if material.calls is not None:
        return _called(kind, number, material)
    chunks = tuple(
        RetrievedChunk(doc_id=f"page-{place}", text=text)
        for place, text in enumerate(material.contexts(own, following, third), start=1)
    )
    return Canary(
        sample=Sample(id=f"{kind}, {own.topic}", query=own.query, references=(own.reference,)),
        output=SystemOutput(chunks=chunks, answer=material.answer(own, following, third)),
        expect=material.expect,
        kind=kind,
        other=SystemOutput(answer=material.other(own)) if material.other else None,
    )


def guided(kind: str, number: int, criterion: str) -> Canary:
    """Return an answer under a list of guidelines, of which the last one is known.

    Of the others nothing is known, so that only none kept, or none broken, is wrong.
    """
    right = dress(RIGHT, number)
    if kind == KEEPS:
        return replace(right, kind=kind, expect={criterion: (_ANY, 1.0)})
    answer = f"{right.output.answer} It goes well with {PLANTED_WORD}."
    output = right.output.amended(answer=answer)
    return replace(right, kind=kind, output=output, expect={criterion: (0.0, 1.0 - _ANY)})


def _called(kind: str, number: int, material: Material) -> Canary:
    """Return a known call of a tool, beside the right one."""
    assert material.calls is not None
    known = known_calls()[number % len(known_calls())]
    right = ExpectedCall(name=known.tool, arguments=dict(known.right))
    made = ToolCall(name=known.tool, arguments=dict(material.calls(known)))
    answer = material.answer(*topics()[:3])
    return Canary(
        sample=Sample(id=f"{kind}, {known.tool}", query=known.query, expected_calls=(right,)),
        output=SystemOutput(answer=answer, tool_calls=(made,)),
        expect=material.expect,
        kind=kind,
    )
