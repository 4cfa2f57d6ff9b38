"""An answer beside the baseline's: what needs no judge, and what the mean says."""

from __future__ import annotations

from typing import Any

from ragate.metrics.judge import pairwise
from ragate.models import Failure, Score, SystemOutput, not_applicable, unscored
from ragate.protocols import MetricRequest
from ragate.scoring.known_judgements import Opponents, losses, opponents_of
from tests.factories import output_factory, record_factory, run_factory, sample_factory

METRIC = pairwise(MetricRequest(name="pairwise"))
OLD = record_factory(output=output_factory(answer="Old answer."))


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
