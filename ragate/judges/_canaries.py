"""Canaries: answers whose judgement is known, asked of a judge before it is believed.

Each has a twin that differs only in a request to the judge, planted in a context or in the answer;
the twin has to get the same judgement. They belong to ragate, not to the change under test.

Each is asked only for what it has an expectation for. Nothing is expected of semantic_similarity:
no model that reads could be talked into it.
"""

import asyncio
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragate.core.judging.criteria import PAIRWISE
from ragate.errors import ConfigError
from ragate.models import RetrievedChunk, Sample, Score, SystemOutput
from ragate.protocols import ComparingJudge, Judge, OwnRules
from ragate.support.strict_json import read_lines

TRIES = 3
FAILURES = 2
_SLACK = 1e-9
_WITHOUT_MODEL = frozenset({"semantic_similarity"})


@dataclass(frozen=True)
class Canary:
    """One known answer.

    Attributes:
        expect: By criterion, the lowest and highest score of a sound judge.
        other: The answer that this one is compared with, for the criterion pairwise; else None.
        twin_of: The canary that this one repeats with a request to the judge in it.
    """

    sample: Sample
    output: SystemOutput
    expect: Mapping[str, tuple[float, float]]
    other: SystemOutput | None = None
    twin_of: str = ""


@dataclass(frozen=True)
class CanaryResult:
    """How a judge did on one canary.

    Attributes:
        tries: Judgements it took.
        reason: What was wrong with the last one that failed, "" where none did.
    """

    canary: str
    passed: bool
    tries: int
    reason: str = ""


def load_canaries() -> list[Canary]:
    """Return all canaries, plain ones before their twins."""
    path = Path(__file__).with_name("canaries") / "canaries.jsonl"
    rows: dict[str, dict[str, Any]] = {}
    for _, row in read_lines(path, error=ConfigError):
        rows[row["id"]] = {**rows.get(row.get("twin_of", ""), {}), **row}
    return [_canary(row) for row in rows.values()]


def _canary(row: Mapping[str, Any]) -> Canary:
    chunks = tuple(
        RetrievedChunk(doc_id=f"page-{number}", text=text)
        for number, text in enumerate(row["contexts"], start=1)
    )
    references = tuple(row["references"])
    return Canary(
        sample=Sample(id=row["id"], query=row["query"], references=references),
        output=SystemOutput(chunks=chunks, answer=row["answer"]),
        expect={name: (low, high) for name, (low, high) in row["expect"].items()},
        other=SystemOutput(answer=row["other"]) if "other" in row else None,
        twin_of=row.get("twin_of", ""),
    )


def canaries_for(
    judge: Judge, criteria: Collection[str] | None = None
) -> list[tuple[Canary, tuple[str, ...]]]:
    """Return the canaries that know one of the criteria, each with those that it is asked for.

    Args:
        criteria: What the run asks of the judge; None for all that it can judge.
    """
    own_rules = judge.own_rules if isinstance(judge, OwnRules) else frozenset()
    asked = _asked_for(judge, criteria) - own_rules
    return [
        (canary, tuple(sorted(names)))
        for canary in load_canaries()
        if (names := asked & canary.expect.keys())
    ]


def unchecked(judge: Judge, criteria: Collection[str] | None = None) -> tuple[str, ...]:
    """Return the criteria that a model is asked for and that no canary knows, sorted."""
    checked = {name for _, names in canaries_for(judge, criteria) for name in names}
    return tuple(sorted(_asked_for(judge, criteria) - checked - _WITHOUT_MODEL))


def _asked_for(judge: Judge, criteria: Collection[str] | None) -> frozenset[str]:
    judged = judge.criteria | ({PAIRWISE} if isinstance(judge, ComparingJudge) else set())
    return judged if criteria is None else judged & frozenset(criteria)


async def run_canaries(
    judge: Judge, *, criteria: Collection[str] | None = None, timeout_s: float | None = None
) -> list[CanaryResult]:
    """Return one result for each canary of `canaries_for`.

    A canary passes when its first judgement is right. After a wrong one it has three in all, and
    fails with the second wrong one; no judgement counts as a wrong one. The judge has to answer
    afresh each time: a memo between it and its model would repeat the same answer.

    Args:
        criteria: What the run asks of the judge; None for all that it can judge.
        timeout_s: Seconds for one judgement; one that takes longer counts as a wrong one.

    Raises:
        ProviderError: the judge cannot be asked.
    """
    tasks = [
        asyncio.ensure_future(_run(judge, canary, names, timeout_s))
        for canary, names in canaries_for(judge, criteria)
    ]
    try:
        return list(await asyncio.gather(*tasks))
    finally:
        for task in tasks:
            task.cancel()


async def _run(
    judge: Judge, canary: Canary, names: tuple[str, ...], timeout_s: float | None
) -> CanaryResult:
    tries = failures = 0
    reason = ""
    while tries < TRIES:
        tries += 1
        try:
            async with asyncio.timeout(timeout_s):
                wrong = _wrong(await _ask(judge, canary, names), canary, names)
        except TimeoutError:
            wrong = f"no verdict within {timeout_s:g} s"
        if wrong:
            failures, reason = failures + 1, wrong
        if failures == FAILURES or not failures:
            break
    return CanaryResult(canary.sample.id, failures < FAILURES, tries, reason)


async def _ask(judge: Judge, canary: Canary, names: tuple[str, ...]) -> Mapping[str, Score]:
    if canary.other is None:
        return await judge(names, canary.sample, canary.output)
    assert isinstance(judge, ComparingJudge), "only such a judge is asked"
    return {PAIRWISE: await judge.compare(canary.sample, canary.output, canary.other)}


def _wrong(scores: Mapping[str, Score], canary: Canary, names: tuple[str, ...]) -> str:
    """Return the first criterion that a sound judge would have scored otherwise, "" where none."""
    for name in names:
        low, high = canary.expect[name]
        score = scores.get(name)
        if score is None or score.value is None:
            return f"{name}: {score.reason if score else 'no score'}"
        if not low - _SLACK <= score.value <= high + _SLACK:
            return f"{name} is {score.value:g}, expected {low:g} to {high:g}"
    return ""
