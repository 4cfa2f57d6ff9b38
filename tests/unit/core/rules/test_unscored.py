"""What a candidate could not be scored on."""

from __future__ import annotations

import datetime

import numpy as np
import pytest
from scipy import stats

from ragate.core.comparison.compare import Comparison
from ragate.core.rules.metric_case import read_cases
from ragate.core.rules.unscored import QUANTILE, lost_scores, most_lost
from ragate.models import Rule, Verdict, Waiver
from tests.unit.core.decision_factories import TODAY, judge, noisy_pair

RULE = Rule(metric="faithfulness")


def losing(n: int, *, before: int, after: int, value: float = 1.0) -> Comparison:
    """Compare three runs of `n` samples of which one lost some with a candidate that did."""
    recorded = [[None, 1.0, 1.0]] * before + [[1.0] * 3] * (n - before)
    scored = [[None]] * after + [[value]] * (n - after)
    return noisy_pair(recorded, scored)


@pytest.mark.parametrize(("before", "most"), [(0, 2), (6, 6), (24, 16)])
def test_a_candidate_may_lose_what_the_baseline_makes_likely(before: int, most: int):
    fine, unusual = (losing(200, before=before, after=lost) for lost in (most, most + 1))

    assert judge(fine, RULE, max_unscored=0.05).verdict is Verdict.PASSED
    decision = judge(unusual, RULE, max_unscored=0.05)
    assert decision.verdict is Verdict.NO_DECISION
    assert f"at most {most} would be bad luck" in decision.reasons[0] or most == 16


def test_what_could_hide_among_lost_samples_is_said():
    decision = judge(losing(200, before=0, after=2), RULE)

    assert (
        "faithfulness: 2 of 200 samples could not be scored; a drop of 1 point could hide there"
        in decision.warnings
    )


def test_a_proven_drop_stays_red_whatever_else_was_lost():
    assert judge(losing(200, before=0, after=8, value=0.5), RULE).verdict is Verdict.FAILED


def test_a_drop_whose_confirmation_was_lost_is_not_proven():
    def decided(fallen: list[float | None]) -> Verdict:
        after = [fallen] * 8 + [[1.0] * 3] * 22
        return judge(noisy_pair([[1.0] * 3] * 30, after), RULE).verdict

    assert decided([0.0, 0.0, 0.0]) is Verdict.FAILED
    assert decided([0.0, None, None]) is Verdict.NO_DECISION


def test_of_several_passes_the_mean_is_lost():
    after = [[None, 1.0, 1.0]] * 3 + [[1.0, None, 1.0]] * 4 + [[1.0] * 3] * 93
    pair = noisy_pair([[1.0] * 3] * 100, after)
    (case,) = read_cases([RULE], pair, [], TODAY)

    assert lost_scores(case, pair).count == 3
    assert lost_scores(case, pair).hides == pytest.approx(7 / 300)


def test_waived_and_unaffected_samples_are_not_counted():
    day = TODAY + datetime.timedelta(days=1)
    waiver = Waiver(id="q0000", metric="faithfulness", owner="me", reason="known", until=day)
    pair = losing(50, before=0, after=3)
    (case,) = read_cases([RULE], pair, [waiver], TODAY)

    lost = lost_scores(case, pair)
    assert (lost.count, lost.of) == (2, 49)
    assert np.isclose(lost.usual, lost.most / 49)


@pytest.mark.parametrize("n", [1, 20, 200, 2_000])
@pytest.mark.parametrize("passes", [1, 3])
@pytest.mark.parametrize("share", [0.0, 0.01, 0.04, 1.0])
def test_the_bound_is_that_of_a_beta_binomial_distribution(n: int, passes: int, share: float):
    runs = n * passes
    lost = round(share * runs)
    law = stats.betabinom(n, lost + 0.5, runs - lost + 0.5)

    assert most_lost(n, lost=lost, runs=runs) == law.ppf(QUANTILE)
