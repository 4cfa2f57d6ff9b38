"""Rates over a whole run."""

from __future__ import annotations

import pytest

from ragate.core.comparison.compare import compare
from ragate.models import MetricInfo, Score, unscored
from tests.unit.core.decision_factories import NOISY, run_of, samples_of


def test_a_rate_is_the_mean_over_the_passes():
    rate = MetricInfo(name="error_rate", aggregate=True)
    samples = samples_of(2)
    scores = {"faithfulness": [[1.0, 1.0]] * 2}
    passes = tuple({"error_rate": Score(metric="error_rate", value=each)} for each in (0.2, 0.4))
    run = run_of(scores, samples, infos=(NOISY,))
    run = run.amended(
        aggregates=passes,
        manifest=run.manifest.amended(metrics={**run.manifest.metrics, "error_rate": rate}),
    )
    comparison = compare(run, run, samples)

    assert comparison.aggregates["error_rate"].candidate == pytest.approx(0.3)
    half = run.amended(
        aggregates=(passes[0], {"error_rate": unscored("error_rate", "clock stopped")})
    )
    assert compare(run, half, samples).aggregates["error_rate"].reason == "clock stopped"
