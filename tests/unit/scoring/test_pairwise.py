"""An answer beside the baseline's: what is asked, what is not, and what the mean says."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

from ragate.cache import Cache
from ragate.metrics.judge import pairwise, relevancy
from ragate.models import Failure, Score, SystemOutput, not_applicable, unscored
from ragate.protocols import MetricRequest
from ragate.scoring.judgement_cache import CachedJudgements
from ragate.scoring.judging import Judging
from ragate.scoring.known_judgements import KnownJudgements, Opponents, losses, opponents_of
from tests.factories import output_factory, record_factory, run_factory, sample_factory
from tests.unit.judges.pair_judge import PairJudge

METRIC = pairwise(MetricRequest(name="pairwise"))
OLD = record_factory(output=output_factory(answer="Old answer."))
RELEVANCY = relevancy(MetricRequest(name="relevancy"))


def judged(judge: PairJudge, answer: str, root: Path, *metrics: Any) -> Judging:
    """Return what is known of an answer beside `OLD` once all was asked."""

    async def run() -> Judging:
        with Cache(root / "cache.sqlite") as cache:
            known = KnownJudgements(
                judge,
                metrics or [METRIC],
                baseline=None,
                cache=CachedJudgements(cache),
                opponents=opponents_of(run_factory([OLD])),
            )
            judging = Judging(known, concurrency=2, timeout_s=5.0)
            judging.submit(sample_factory(), output_factory(answer=answer))
            await judging.settle()
            return judging

    return asyncio.run(run())


def preference(judge: PairJudge, answer: str, root: Path) -> Score:
    judging = judged(judge, answer, root)
    return judging.judgement(sample_factory(), output_factory(answer=answer))["pairwise"]


def longer(answer: str, other: str) -> float:
    return float(len(answer) > len(other))


def test_a_pair_is_compared_once_and_known_from_then_on(tmp_path: Path) -> None:
    first, second = PairJudge(longer), PairJudge(longer)

    assert preference(first, "A longer answer.", tmp_path).value == 1.0
    assert preference(second, "A longer answer.", tmp_path).value == 1.0
    assert first.compared.count(sample_factory().id) == 1
    assert second.compared == []


@pytest.mark.parametrize(("answer", "value"), [("Old answer.", 0.5), (" ", 0.0), ("", 0.0)])
def test_equal_and_empty_answers_are_not_compared(
    tmp_path: Path, answer: str, value: float
) -> None:
    judge = PairJudge(longer)

    assert preference(judge, answer, tmp_path).value == value
    assert judge.compared == []


def test_a_judge_that_compares_known_answers_wrongly_is_not_believed(tmp_path: Path) -> None:
    found = preference(PairJudge(lambda _one, _other: 1.0, is_sound=False), "New one.", tmp_path)

    assert found.value is None
    assert "scored test answers wrongly" in found.reason


def test_known_answers_are_asked_only_when_a_model_is(tmp_path: Path) -> None:
    judge = PairJudge(longer)

    assert not judged(judge, "", tmp_path, RELEVANCY).queue.canaries
    assert judge.asked == [sample_factory().id]
    assert judged(judge, "Because.", tmp_path, RELEVANCY).queue.canaries


def settled(opponents: Opponents, **output: Any) -> Score | None:
    return opponents.settled(sample_factory(), SystemOutput(**{"answer": "x", **output}))


def test_what_cannot_be_compared_says_why() -> None:
    hashes = record_factory(output=output_factory(answer=None))
    failed = Failure(kind="provider", message="it was out")
    known = opponents_of(run_factory([OLD]))

    assert settled(opponents_of(run_factory([hashes]))).reason.startswith("the baseline holds no")  # type: ignore[union-attr]
    assert settled(opponents_of(run_factory([]))).state == "not_applicable"  # type: ignore[union-attr]
    assert settled(opponents_of(None)).value == 0.5  # type: ignore[union-attr]
    assert settled(known, answer=None, error=failed).value is None  # type: ignore[union-attr]
    assert settled(known) is None


def test_the_mean_is_of_what_applies_and_nothing_is_made_up_for_a_missing_verdict() -> None:
    one, tie, none = (Score(metric="pairwise", value=value) for value in (1.0, 0.5, 0.0))
    away = not_applicable("pairwise", "new")

    assert METRIC.combine([one, tie, none, away]).value == 0.5
    assert METRIC.combine([away]).state == "not_applicable"
    assert METRIC.combine([one, unscored("pairwise", "out")]).value is None


def test_the_samples_that_lost_are_named() -> None:
    scores = {f"q{n}": Score(metric="pairwise", value=0.0) for n in range(7)}
    scores["won"] = Score(metric="pairwise", value=1.0)

    assert losses(scores) == "pairwise: 1 better, 7 worse: q0, q1, q2, q3, q4 and 2 more"
    assert losses({}) == ""
