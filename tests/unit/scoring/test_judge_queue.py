"""What is believed of a judge that was tried by known answers."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import pytest

from ragate.cache import Cache
from ragate.core.hashing import digest
from ragate.models import Sample, Score, SystemOutput
from ragate.models.progress import Progress, Show, unshown
from ragate.scoring.judgement_cache import (
    CachedJudgements,
    CachedSteps,
    Judgement,
)
from ragate.scoring.judging import JudgeQueue
from tests.factories import output_factory, sample_factory
from tests.unit.judges.every_canary import every_canary

OWN = "criterion.tone"
KEY = digest("a question and its answer")


class Constant:
    """A judge that says the same of everything."""

    fingerprint = "0123456789abcdef"
    criteria = frozenset({"relevancy", OWN})

    async def __call__(
        self, criteria: Sequence[str], sample: Sample, output: SystemOutput
    ) -> dict[str, Score]:
        del sample, output
        return {name: Score(metric=name, value=1.0) for name in criteria}


async def asked(root: Path) -> tuple[JudgeQueue, Judgement | None]:
    """Ask for one judgement under the own criterion; return what the cache kept as well."""
    with Cache(root / "cache.sqlite") as cache:
        queue = JudgeQueue(
            Constant(), [OWN], cache=CachedJudgements(cache), concurrency=2, timeout_s=5.0
        )

        async def ask() -> Judgement:
            return {OWN: Score(metric=OWN, value=1.0)}

        queue.start(KEY, ask, [OWN], keep=lambda _judgement: None, sample="a")
        await queue.settle()
        await queue.close()
        return queue, cache.judgements([KEY]).get(KEY)


def test_a_judge_that_fails_all_it_is_tried_with_is_not_believed_under_an_own_criterion(
    tmp_path: Path,
) -> None:
    queue, kept = asyncio.run(asked(tmp_path))

    assert "fails known answers" in queue.voided.reason(OWN)
    assert not kept


class Busy(Constant):
    """A judge that notes what it is asked about, and by how many at once.

    Attributes:
        honest: It knows the known answers; else it says the same of everything.
    """

    def __init__(self, *, honest: bool = True) -> None:
        self.honest = honest
        self.asked: list[str] = []
        self.now = self.most = 0

    async def __call__(
        self, criteria: Sequence[str], sample: Sample, output: SystemOutput
    ) -> dict[str, Score]:
        self.asked.append(sample.id)
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(0)
        self.now -= 1
        known = every_canary().get(sample.id)
        value = known[0].expect["relevancy"][0] if known and self.honest else 1.0
        return {name: Score(metric=name, value=value) for name in criteria}


async def asked_about(
    judge: Busy, root: Path, ids: Sequence[str], show: Show = unshown
) -> JudgeQueue:
    with Cache(root / "cache.sqlite") as cache:
        queue = JudgeQueue(
            judge,
            ["relevancy"],
            cache=CachedJudgements(cache),
            concurrency=2,
            timeout_s=5.0,
            steps=CachedSteps(cache),
            show=show,
        )
        for each in ids:
            sample, output = sample_factory(each), output_factory(answer="Yes.")
            ask = partial(judge, ["relevancy"], sample, output)
            queue.start(digest(each), ask, ["relevancy"], keep=lambda _judgement: None, sample=each)
        await queue.settle()
        await queue.close()
        return queue


def test_known_answers_are_asked_before_questions_and_never_more_at_once(tmp_path: Path) -> None:
    judge, ids = Busy(), ["a", "b", "c"]

    asyncio.run(asked_about(judge, tmp_path, ids))

    assert judge.asked[-3:] == ids
    assert len(judge.asked) > 3
    assert judge.most == 2


def test_a_judge_that_gets_plain_answers_wrong_is_asked_nothing_of_the_run(tmp_path: Path) -> None:
    judge = Busy(honest=False)

    queue = asyncio.run(asked_about(judge, tmp_path, ["a", "b", "c"]))

    assert queue.voided.reason("relevancy")
    assert not {"a", "b", "c"} & set(judge.asked)
    assert len(judge.asked) <= 30


def test_canaries_that_were_passed_are_not_asked_again_for_a_day(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = asyncio.run(asked_about(Busy(), tmp_path, ["a"]))
    judge = Busy()

    queue = asyncio.run(asked_about(judge, tmp_path, ["b"]))

    assert judge.asked == ["b"]
    assert queue.canaries == first.canaries
    tomorrow = time.time() + 24 * 3600.0
    monkeypatch.setattr(time, "time", lambda: tomorrow)
    asyncio.run(asked_about(judge, tmp_path, ["c"]))
    assert len(judge.asked) > 30


def test_canaries_of_another_judge_or_of_one_that_failed_are_asked(tmp_path: Path) -> None:
    asyncio.run(asked_about(Busy(honest=False), tmp_path, ["a"]))
    judge, other = Busy(), Busy()
    other.fingerprint = "f" * 16
    for each in (judge, other):
        asyncio.run(asked_about(each, tmp_path, ["b"]))

        assert len(each.asked) >= 30


# How far it is.


def shown_of(judge: Busy, root: Path) -> dict[str, list[Progress]]:
    """Return what is shown of three judgements, by stage."""
    told: list[Progress] = []
    asyncio.run(asked_about(judge, root, ["a", "b", "c"], told.append))
    return {
        stage: [each for each in told if each.stage == stage]
        for stage in ("trying the judge", "judging")
    }


def test_known_answers_and_judgements_are_shown_until_all_are_done(tmp_path: Path) -> None:
    judge = Busy()

    shown = shown_of(judge, tmp_path)

    trying, judging = shown["trying the judge"], shown["judging"]
    assert [each.done for each in trying] == [*range(1, trying[-1].total + 1)]
    assert [each.counted for each in judging][-1] == "3/3 judgements"
    assert trying[-1].is_over
    assert not any(each.failed for each in trying)


def test_a_judge_that_passed_a_moment_ago_is_not_shown_to_be_tried(tmp_path: Path) -> None:
    shown_of(Busy(), tmp_path)

    assert not shown_of(Busy(), tmp_path)["trying the judge"]


def test_what_a_weak_judge_gets_wrong_is_not_done_nor_is_what_it_is_not_asked(
    tmp_path: Path,
) -> None:
    shown = shown_of(Busy(honest=False), tmp_path)

    last = shown["trying the judge"][-1]
    assert last.failed > 0
    # What need not be asked any more is left out of the number.
    assert last.total < shown["trying the judge"][0].total
    assert last.is_over
    assert shown["judging"][-1].counted == "0/3 judgements · 3 failed"
