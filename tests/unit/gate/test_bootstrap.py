"""Suggested floors: what the rule on the manual's page says, in numbers."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.gate.bootstrap import bootstrapped, suggested_floor
from ragate.models import Direction, FloorResult, MetricRow, MetricVerdict, RunFacts, Verdict
from tests.factories import decision_factory, report_factory


def row(mean: float | None, n: int = 200, **fields) -> MetricRow:
    return MetricRow.model_validate(
        {
            "metric": "recall@10",
            "level": "error",
            "n": n,
            "candidate": mean,
            "verdict": MetricVerdict.SHOWN,
            **fields,
        }
    )


@pytest.mark.parametrize(
    ("mean", "n", "limit"), [(0.9, 200, 0.85), (1.0, 200, 0.98), (0.5, 100, 0.4), (0.01, 10, 0.0)]
)
def test_a_floor_is_two_standard_errors_below_and_at_least_two_points(mean, n, limit) -> None:
    found = suggested_floor(row(mean, n))
    assert found is not None
    assert found.key == "minimum"
    assert found.limit == pytest.approx(limit)


@given(st.floats(0, 1), st.integers(1, 10_000), st.booleans())
def test_what_was_measured_keeps_its_own_limit(mean: float, n: int, lower: bool) -> None:
    direction = Direction.LOWER if lower else Direction.HIGHER
    found = suggested_floor(row(mean, n, direction=direction))
    assert found is not None
    assert 0 <= found.limit <= 1
    assert math.isclose(found.limit * 100, round(found.limit * 100), abs_tol=1e-6)
    assert mean <= found.limit if lower else mean >= found.limit


@pytest.mark.parametrize(
    "fields",
    [
        {"level": "warn"},
        {"unit": "seconds"},
        {"aggregate": True},
        {"candidate": None},
        {"n": 0},
        {"floor": FloorResult(limit=0.5, kind="point", met=True)},
    ],
)
def test_there_is_none_where_it_would_mean_nothing(fields) -> None:
    assert suggested_floor(row(0.9).model_copy(update=fields)) is None


def test_a_first_run_passes_and_shows_what_its_own_rules_say() -> None:
    decision = decision_factory(metrics=[row(0.9)]).amended(
        verdict=Verdict.FAILED, reasons=("a floor",)
    )
    report = report_factory(decision)
    found = bootstrapped(report)
    assert (found.decision.verdict, found.decision.exit_code) == (Verdict.BOOTSTRAP, 0)
    assert found.decision.reasons[1:] == ("a floor",)
    assert len(found.suggested_floors) == 1


def test_a_first_run_that_measured_nothing_is_no_bootstrap() -> None:
    report = report_factory(decision_factory()).amended(facts=RunFacts(samples=3, errors=3))
    assert bootstrapped(report) == report
