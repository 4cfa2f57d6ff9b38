"""Judging beside collecting: not too much at once, and one end for all when the judge is out."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from ragate.cache import Cache
from ragate.errors import ProviderError, StorageError
from ragate.metrics.judge import citation_precision, correctness, relevancy
from ragate.models import Sample, Score, SystemOutput, unscored
from ragate.pipeline.score.judge_call_cache import CachedSteps, aside
from ragate.pipeline.score.judge_queue import BACKLOG
from ragate.pipeline.score.judgement_cache import CachedJudgements
from ragate.pipeline.score.judging import Judging
from ragate.pipeline.score.known_judgements import KnownJudgements
from ragate.protocols import MetricRequest
from tests.factories import output_factory, sample_factory

SAMPLES = 3 * BACKLOG


class Slow:
    """A judge that takes its time, and is out from one verdict on."""

    fingerprint = "0123456789abcdef"
    criteria: frozenset[str] = frozenset()  # so that there is no canary for it

    def __init__(self, *, out_after: int = SAMPLES) -> None:
        self.asked = 0
        self._out_after = out_after

    async def __call__(
        self, criteria: Sequence[str], sample: Sample, output: SystemOutput
    ) -> dict[str, Score]:
        del sample, output
        self.asked += 1
        if self.asked > self._out_after:
            raise ProviderError("it is out", fatal=True)
        await asyncio.sleep(0)
        return {name: Score(metric=name, value=1.0) for name in criteria}


def judged(judge: Slow, root: Path) -> tuple[list[Score], int, str]:
    """Return the scores, the most verdicts that were waited for at once, and why it stopped."""
    pairs = [
        (sample_factory(f"q{n}"), output_factory(answer=f"Answer {n}.")) for n in range(SAMPLES)
    ]

    async def run() -> tuple[list[Score], int, str]:
        most = 0
        with Cache(root / "cache.sqlite") as cache:
            known = KnownJudgements(
                judge,
                [relevancy.create(MetricRequest(name="relevancy"))],
                baseline=None,
                cache=CachedJudgements(cache),
            )
            judging = Judging(known, concurrency=4, timeout_s=5.0)
            for pair in pairs:
                judging.submit(*pair)
                most = max(most, len(judging.queue))
                await judging.room()
            await judging.settle()
            return [judging.judgement(*pair)["relevancy"] for pair in pairs], most, judging.out

    return asyncio.run(run())


def test_no_more_outputs_wait_for_a_slow_judge_than_fit_into_memory(tmp_path: Path) -> None:
    scores, most, out = judged(Slow(), tmp_path)

    assert [score.value for score in scores] == [1.0] * SAMPLES
    assert most <= BACKLOG
    assert out == ""


def test_a_judge_that_is_out_leaves_nothing_scored_and_nobody_waiting(tmp_path: Path) -> None:
    scores, _, out = judged(Slow(out_after=5), tmp_path)

    assert {score.value for score in scores} == {None}
    assert out == "it is out"


class Sorting:
    """A judge that sorts out and counts what it is asked; citations are none of a model's doing."""

    fingerprint = "0123456789abcdef"
    criteria: frozenset[str] = frozenset()

    def __init__(self, *, apart: bool = False, without: str = "") -> None:
        self.apart = apart
        self.asked: list[tuple[str, ...]] = []
        self._without = without

    def asks(self, criteria: Sequence[str], sample: Sample, output: SystemOutput) -> bool:
        del sample, output
        return set(criteria) != {"citation_precision"}

    async def __call__(
        self, criteria: Sequence[str], sample: Sample, output: SystemOutput
    ) -> dict[str, Score]:
        if not self.asks(criteria, sample, output):
            return {name: unscored(name, "no citations in the answer") for name in criteria}
        self.asked.append(tuple(criteria))
        return {
            name: unscored(name, "no valid reply")
            if name == self._without
            else Score(metric=name, value=1.0)
            for name in criteria
        }


METRICS = (citation_precision, correctness, relevancy)


def judge_all(
    judge: Sorting,
    root: Path,
    samples: Sequence[Sample],
    may_ask: Callable[[Sample], bool] = lambda _sample: True,
) -> list[dict[str, Score]]:
    """Return the verdicts on the same answer to each sample."""
    output = output_factory(answer="Yes.")

    async def run() -> list[dict[str, Score]]:
        with Cache(root / "cache.sqlite") as cache:
            known = KnownJudgements(
                judge,
                [one.create(MetricRequest(name=one.__name__.split(".")[-1])) for one in METRICS],
                baseline=None,
                cache=CachedJudgements(cache),
            )
            judging = Judging(known, concurrency=1, timeout_s=5.0, may_ask=may_ask)
            for sample in samples:
                judging.submit(sample, output)
            await judging.settle()
            return [dict(judging.judgement(sample, output)) for sample in samples]

    return asyncio.run(run())


def judge_once(judge: Sorting, root: Path) -> dict[str, Score]:
    return judge_all(judge, root, [sample_factory("q")])[0]


def test_what_is_decided_without_a_model_is_never_asked_again(tmp_path: Path) -> None:
    first = judge_once(fresh := Sorting(), tmp_path)
    second = judge_once(again := Sorting(), tmp_path)

    assert first == second
    assert first["citation_precision"].reason == "no citations in the answer"
    assert fresh.asked == [("correctness", "relevancy")]
    assert again.asked == []


def test_only_the_criteria_without_a_score_are_asked_again(tmp_path: Path) -> None:
    judge_once(Sorting(without="relevancy"), tmp_path)
    found = judge_once(again := Sorting(), tmp_path)

    assert again.asked == [("relevancy",)]
    assert found["correctness"].value == found["relevancy"].value == 1.0


def test_a_sample_that_may_be_asked_is_although_an_equal_one_before_it_may_not(
    tmp_path: Path,
) -> None:
    kept, new = (sample_factory(name, query="Why?") for name in ("kept", "new"))

    found = judge_all(
        judge := Sorting(), tmp_path, [kept, new, kept], lambda sample: sample.id == "new"
    )

    assert found[1]["relevancy"].value == 1.0
    assert judge.asked == [("correctness", "relevancy")]


def test_criteria_that_stand_apart_are_asked_one_by_one(tmp_path: Path) -> None:
    judge_once(judge := Sorting(apart=True), tmp_path)

    assert judge.asked == [("correctness",), ("relevancy",)]


def test_replies_on_the_way_to_a_verdict_are_kept_once_the_judge_is_trusted(
    tmp_path: Path,
) -> None:
    async def run() -> list[str | None]:
        with Cache(tmp_path / "cache.sqlite") as cache:
            steps, other = CachedSteps(cache, address="here"), CachedSteps(cache, address="there")
            with aside():
                await asyncio.create_task(steps.keep("canary", "YES"))
            await steps.keep("one", "NO")
            before = await steps.get("one")
            await steps.trust()
            await steps.keep("two", "YES")
            with aside():
                hidden = await asyncio.create_task(steps.get("one"))
            found = [await steps.get(key) for key in ("one", "two", "canary")]
            elsewhere = await other.get("one")
            cache.clear(["verdicts"])
            return [before, hidden, *found, elsewhere, await steps.get("two")]

    assert asyncio.run(run()) == [None, None, "NO", "YES", None, None, None]


def test_scores_of_one_verdict_that_wait_at_once_are_all_written(tmp_path: Path) -> None:
    one, two = ({name: Score(metric=name, value=1.0)} for name in ("correctness", "relevancy"))
    key, other = "0123456789abcdef", "fedcba9876543210"

    async def run() -> set[str]:
        with Cache(tmp_path / "cache.sqlite") as cache:
            kept = CachedJudgements(cache, address="here")
            # The first write is under way while the others come.
            await asyncio.gather(kept.put(other, one), kept.put(key, one), kept.put(key, two))
            return set(CachedJudgements(cache, address="here").get(key) or {})

    assert asyncio.run(run()) == {"correctness", "relevancy"}


def test_what_could_not_be_written_is_written_with_the_next(tmp_path: Path) -> None:
    scores = {name: Score(metric=name, value=1.0) for name in ("correctness", "relevancy")}
    key = "0123456789abcdef"

    async def run() -> list[object]:
        with Cache(tmp_path / "cache.sqlite") as cache:
            kept, steps = CachedJudgements(cache), CachedSteps(cache)
            with pytest.MonkeyPatch.context() as patch:
                for name in ("put_judgements", "put_draws"):
                    patch.setattr(cache, name, full)
                with pytest.raises(StorageError):
                    await kept.put(key, {"correctness": scores["correctness"]})
                await steps.keep("one", "YES")
                with pytest.raises(StorageError):
                    await steps.trust()
            await kept.put(key, {"relevancy": scores["relevancy"]})
            await steps.flush()
            return [kept.get(key), await steps.get("one")]

    def full(*_: object) -> None:
        raise StorageError("the disk is full")

    assert asyncio.run(run()) == [scores, "YES"]
