"""Metrics read as symptoms: how low is low, and how far a fall."""

from __future__ import annotations

from ragate.core.diagnosis.symptoms import symptoms
from ragate.models import MetricVerdict
from tests.unit.core.diagnosis.symptom_factories import found, row


def test_a_high_mean_that_regressed_is_a_symptom_with_its_change():
    (one,) = symptoms([row("hit_rate@10", 0.8, -0.1, verdict=MetricVerdict.REGRESSED)])

    assert one.symptom == "expected documents are missed: hit_rate@10 is 0.800, -0.100"


def test_an_exact_metric_that_fell_by_five_points_is_a_symptom():
    assert found(row("hit_rate@10", 0.8, -0.06, exact=True)) == ["expected documents are missed"]
    assert found(row("hit_rate@10", 0.8, -0.04, exact=True)) == []
