"""Intervals and quantiles, against SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from benchmarks.gate_coverage import BREAKS, KINDS, RUNS, SIZES, cell
from ragate.core.statistics.interval import difference_interval, failing_mean, mean_bound
from ragate.models import Rule
from tests.night import NIGHT
from tests.unit.core.cluster_factories import clusters_of
from tests.unit.core.decision_factories import judge, noisy_pair, row_of

RULE = Rule(metric="faithfulness")


def test_one_loss_and_one_win_are_added_to_what_was_seen():
    values = np.random.default_rng(1).normal(-0.05, 0.2, 60)
    padded = np.concatenate([values, [-1.0, 1.0]])
    reach = stats.norm.ppf(0.975) * padded.std() / np.sqrt(62)

    assert difference_interval(values) == pytest.approx(
        (padded.mean() - reach, padded.mean() + reach)
    )
    one_sided = difference_interval(values, error=0.05)
    assert one_sided[1] == pytest.approx(
        padded.mean() + reach * stats.norm.ppf(0.95) / stats.norm.ppf(0.975)
    )


@pytest.mark.parametrize("kind", KINDS)
def test_the_interval_holds_the_true_change_as_often_as_it_says(kind):
    cells = [(each, n, runs) for each in BREAKS for n in SIZES for runs in RUNS]
    if not NIGHT:
        cells = cells[::10]

    assert min(cell(kind, *each, draws=1_500)[0] for each in cells) >= 0.93


def test_a_set_without_a_change_is_sure_of_no_more_than_its_size_allows():
    low, high = difference_interval(np.zeros(60))

    assert -low == high == pytest.approx(0.045, abs=0.001)
    assert difference_interval(np.full(3, -1.0))[0] == -1.0


def test_clusters_count_as_the_sums_of_their_samples():
    row = row_of(judge(clusters_of([1] * 30, [1] * 6 + [0] * 24), RULE), "faithfulness")
    alone = np.repeat([-1.0, 0.0], [6, 24])

    assert row.interval == pytest.approx(difference_interval(alone))


@pytest.mark.parametrize(("rises", "verdict"), [(5, "cannot_tell"), (20, "improved")])
def test_only_a_rise_that_the_interval_shows_is_an_improvement(rises, verdict):
    before = np.full((60, 3), 0.5)
    after = before.copy()
    after[:rises] += 0.1 if rises == 5 else 0.5
    row = row_of(judge(noisy_pair(before, after), RULE, alpha=0.04), "faithfulness")

    assert row.verdict == verdict
    assert row.interval is not None
    assert (row.interval[0] > 0) is (rises == 20)


def test_a_mean_of_equal_grades_is_bounded_by_what_was_never_seen():
    same, pair = np.full(10, 0.5), np.array([0.4, 0.6])
    reach = 1 - 0.05 ** (1 / 10)

    assert mean_bound(same, 0.05, upper=True, binary=False) == pytest.approx(0.5 + reach)
    assert mean_bound(same, 0.05, upper=False, binary=False) == pytest.approx(0.5 - reach)
    high = 0.5 + stats.t.ppf(0.95, 1) * stats.sem(pair)
    assert mean_bound(pair, 0.05, upper=True, binary=False) == pytest.approx(high)


@pytest.mark.parametrize("upper", [True, False])
def test_the_bound_of_a_mean_meets_the_limit_at_the_failing_mean(upper):
    values = np.array([1.0] * 45 + [0.0] * 5)
    bound = mean_bound(values, 0.05, upper=upper, binary=True)
    low, high = stats.binomtest(45, 50).proportion_ci(0.9, "wilson")

    assert bound == pytest.approx(high if upper else low)
    assert failing_mean(bound, values, 0.05, upper=upper, binary=True) == pytest.approx(0.9)
    graded = np.linspace(0.2, 0.8, 9)
    bound = mean_bound(graded, 0.05, upper=upper, binary=False)
    assert failing_mean(bound, graded, 0.05, upper=upper, binary=False) == pytest.approx(0.5)
