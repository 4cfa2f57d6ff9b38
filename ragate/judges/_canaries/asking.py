"""A judge is asked for what is known, before it is believed."""

import asyncio
from collections.abc import Collection, Mapping, Sequence

from ragate.core.judging.canary_rule import MOST_WRONG, CanaryResult, is_settled
from ragate.core.judging.criteria import PAIRWISE
from ragate.judges._canaries.known_answers import Canary
from ragate.judges._canaries.plan import CanaryQuestion, canaries_for
from ragate.models import Score
from ragate.protocols import ComparingJudge, Judge

_SLACK = 1e-9


async def run_canaries(
    judge: Judge,
    *,
    criteria: Collection[str] | None = None,
    timeout_s: float | None = None,
    concurrency: int = 8,
) -> list[CanaryResult]:
    """Return one result for each known answer and criterion of `canaries_for`.

    One passes when its first judgement is right. After a wrong one the others of its dresses are
    asked, until two are right or four are wrong; no judgement counts as a wrong one. The judge has
    to answer afresh each time: a memo between it and its model would repeat the same answer.

    Args:
        criteria: What the run asks of the judge; None for all that it can judge.
        timeout_s: Seconds for one judgement; one that takes longer counts as a wrong one.
        concurrency: Known answers that are asked about at once.

    Raises:
        ProviderError: the judge cannot be asked.
    """
    questions = canaries_for(judge, criteria)
    if not questions:
        return []
    # Alone, so that a judge that cannot be asked at all is found out by one call.
    found = await _run(judge, questions[0], timeout_s)
    gate = asyncio.Semaphore(concurrency)

    async def run(question: CanaryQuestion) -> list[CanaryResult]:
        async with gate:
            return await _run(judge, question, timeout_s)

    tasks = [asyncio.ensure_future(run(question)) for question in questions[1:]]
    try:
        return found + [result for each in await asyncio.gather(*tasks) for result in each]
    finally:
        for task in tasks:
            task.cancel()


async def _run(
    judge: Judge, question: CanaryQuestion, timeout_s: float | None
) -> list[CanaryResult]:
    """Ask about one known answer; a later dress is asked for open criteria alone."""
    reasons: dict[str, list[str]] = {name: [] for name in question.names}
    still = question.names
    for canary in question.dresses:
        try:
            async with asyncio.timeout(timeout_s):
                scores = await _ask(judge, canary, still)
            found = {name: _wrong(scores, canary, name) for name in still}
        except TimeoutError:
            found = dict.fromkeys(still, f"no verdict within {timeout_s:g} s")
        for name, wrong in found.items():
            reasons[name].append(wrong)
        still = tuple(name for name in still if not is_settled(*_counts(reasons[name])))
        if not still:
            break
    tried = question.stands_for
    return [_result(question.canary, tried or name, found) for name, found in reasons.items()]


def _counts(reasons: Sequence[str]) -> tuple[int, int]:
    """Return how many verdicts were right and how many wrong."""
    wrong = sum(map(bool, reasons))
    return len(reasons) - wrong, wrong


def _result(canary: Canary, criterion: str, reasons: Sequence[str]) -> CanaryResult:
    _, wrong = _counts(reasons)
    return CanaryResult(
        canary=canary.name,
        criterion=criterion,
        injected=bool(canary.wording),
        passed=wrong < MOST_WRONG,
        tries=len(reasons),
        reason=next(filter(None, reversed(reasons)), ""),
    )


async def _ask(judge: Judge, canary: Canary, names: tuple[str, ...]) -> Mapping[str, Score]:
    if canary.other is None:
        return await judge(names, canary.sample, canary.output)
    assert isinstance(judge, ComparingJudge), "only such a judge is asked"
    return {PAIRWISE: await judge.compare(canary.sample, canary.output, canary.other)}


def _wrong(scores: Mapping[str, Score], canary: Canary, name: str) -> str:
    """Return in which way a sound judge would have scored otherwise, "" where it would not."""
    low, high = canary.expect[name]
    score = scores.get(name)
    if score is None or score.value is None:
        return f"{name}: {score.reason if score else 'no score'}"
    if not low - _SLACK <= score.value <= high + _SLACK:
        return f"{name} is {score.value:g}, expected {low:g} to {high:g}"
    return ""
