"""What is believed of a judge that was tried by known answers."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from ragate.cache import Cache
from ragate.core.hashing import digest
from ragate.models import Sample, Score, SystemOutput
from ragate.pipeline.score.judgement_cache import CachedJudgements, Judgement
from ragate.pipeline.score.judging import JudgeQueue
from tests.factories import output_factory, sample_factory

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
    """A judge that notes what it is asked about, and by how many at once."""

    def __init__(self) -> None:
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
        return await super().__call__(criteria, sample, output)


async def asked_about(judge: Busy, root: Path, ids: Sequence[str]) -> None:
    with Cache(root / "cache.sqlite") as cache:
        queue = JudgeQueue(
            judge, ["relevancy"], cache=CachedJudgements(cache), concurrency=2, timeout_s=5.0
        )
        for each in ids:
            sample, output = sample_factory(each), output_factory(answer="Yes.")
            ask = partial(judge, ["relevancy"], sample, output)
            queue.start(digest(each), ask, ["relevancy"], keep=lambda _judgement: None, sample=each)
        await queue.settle()
        await queue.close()


def test_known_answers_are_asked_before_questions_and_never_more_at_once(tmp_path: Path) -> None:
    judge, ids = Busy(), ["a", "b", "c"]

    asyncio.run(asked_about(judge, tmp_path, ids))

    assert judge.asked[-3:] == ids
    assert len(judge.asked) > 3
    assert judge.most == 2
