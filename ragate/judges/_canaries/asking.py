"""A judge is asked for what is known, before it is believed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from itertools import chain

from ragate.clients.replies import overheard, quoted
from ragate.core.judging.applicability import PAIRWISE, ran_out_of_time
from ragate.core.judging.canary_rule import MOST_WRONG, NO_VALID_REPLY, CanaryResult, is_settled
from ragate.errors import ProviderError
from ragate.judges._canaries.known_answers import HARD, Canary
from ragate.judges._canaries.questions import CanaryQuestion, canaries_for
from ragate.models import Score
from ragate.models.progress import Progress, Show, unshown
from ragate.protocols import Judge, judge_abilities

AtMost = Callable[[float | None], AbstractAsyncContextManager[object]]
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
