"""How far the sum of several metrics reaches by chance."""

from __future__ import annotations

import pytest

from ragate.core.statistics.power import coin_tail, critical_value, skewed
from ragate.core.statistics.quantiles import normal_quantile


def test_one_metric_needs_the_quantile_of_its_level():
    assert critical_value(0.02, metrics=1, carriers=3) == pytest.approx(normal_quantile(0.98))
    assert skewed(2.0, 0.6) == pytest.approx(2.3)


def test_metrics_whose_noise_few_samples_carry_count_for_less():
    few, many = (critical_value(0.01, metrics=6, carriers=coins) for coins in (2, 10_000))

    assert few == pytest.approx(normal_quantile(0.99), abs=0.01)
    assert many == pytest.approx(normal_quantile(1 - 0.01 / 6), abs=0.01)


def test_a_sum_of_few_signs_does_not_reach_far():
    assert coin_tail(2.6, 4) == 0.0
    assert coin_tail(-9.0, 4) == 1.0
    assert coin_tail(0.0, 7) == pytest.approx(0.5)
    assert coin_tail(2.0, 0) == 0.0
    assert coin_tail(1.5, 100_000) == pytest.approx(0.0668, abs=1e-3)
