"""Samples that vary although their metric is declared to carry no noise."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from benchmarks.repeating import flips
from ragate.core.comparison.compare import compare
from ragate.core.statistics.must_pass_odds import steadiness
from ragate.models import MetricVerdict, Verdict
from tests.night import NIGHT
from tests.unit.core.comparison.repeating_factories import (
    NUMBERS,
    declared,
    pair_of,
    share_of_red,
    side,
)
from tests.unit.core.decision_factories import row_of, samples_of


def test_a_must_pass_sample_that_varied_is_not_said_to_never_fail_by_chance():
    shaky = {0: [1.0, 0.0, 1.0], 1: [1.0, 1.0, 0.9]}
    samples = samples_of(20, must_pass=True)
    before = side([shaky.get(row, [1.0] * 3) for row in range(20)])
    comparison = compare(before, side([[1.0] * 3] * 20), samples)

    rows = declared(comparison, NUMBERS.amended(pass_at=0.5)).must_pass

    passed = np.array([[value >= 0.5 for value in shaky.get(row, [1.0] * 3)] for row in range(20)])
    of_varying = steadiness(passed[:2])
    assert of_varying is not None
    assert [row.false_red for row in rows[:2]] == [0.005, pytest.approx(of_varying.fails(3, 3))]
    assert {row.false_red for row in rows[2:]} == {0.0}


def test_a_candidate_that_no_longer_repeats_is_yellow_and_named():
    decision = declared(pair_of([1.0] * 40, [1.0] * 40, jitter={3: [0.9, 1.0, 0.8]}))

    row = row_of(decision, "number_recall")
    assert decision.verdict is Verdict.PASSED
    assert row.verdict is MetricVerdict.CANNOT_TELL
    assert "1 sample no longer repeated: q0003" in row.reason
    assert any(
        "differs from run to run, as it did not in the baseline" in said
        for said in decision.warnings
    )


def test_jitter_does_not_soften_what_the_other_samples_lost():
    after = [0.0, *[1.0] * 39]

    assert declared(pair_of([1.0] * 40, after, jitter={3: [0.9, 1.0, 0.8]})).exit_code == 1


def test_jitter_in_every_sample_is_tested_as_noisy_and_yellow():
    jitter = {row: [0.5, 0.6 - 0.2 * (row % 2), 0.5] for row in range(40)}
    decision = declared(pair_of([0.5] * 40, [0.5] * 40, jitter=jitter))

    assert row_of(decision, "number_recall").verdict is MetricVerdict.CANNOT_TELL
    assert not row_of(decision, "number_recall").exact


def test_samples_that_vary_in_the_baseline_are_no_reason_for_a_red():
    decision = declared(pair_of([1.0] * 100, [1.0] * 100, shaky={7: [1.0, 0.0, 1.0]}))

    assert decision.verdict is Verdict.PASSED
    assert row_of(decision, "number_recall").exact


def test_a_lost_sample_that_varied_in_the_baseline_is_not_said_to_be_unchanged():
    after = [0.0, *[1.0] * 99]
    decision = declared(pair_of([1.0] * 100, after, passes=1, shaky={0: [1.0, 0.9, 0.8]}))

    row = row_of(decision, "number_recall")
    assert row.exact
    assert row.change == pytest.approx(-0.009)
    assert row.verdict is MetricVerdict.CANNOT_TELL
    assert row.reason.startswith("of the samples that repeat: no sample's score changed; 1 sample")
    assert "that did not: number_recall fell by 0.900" in row.reason


def test_many_lost_samples_that_vary_are_red_by_the_test():
    jitter = {row: [0.0, 0.1, 0.0] for row in range(20)}
    decision = declared(pair_of([1.0] * 40, [1.0] * 40, jitter=jitter))

    assert decision.verdict is Verdict.FAILED
    assert "that did not repeat" in row_of(decision, "number_recall").reason


def test_an_unchanged_system_that_flips_in_three_of_a_hundred_runs_is_rarely_red():
    assert share_of_red(partial(flips, n=300, rate=0.03), 150 if NIGHT else 15) <= 0.02
