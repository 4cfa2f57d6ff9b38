"""The smallest drop that one metric of a comparison can show."""

from __future__ import annotations

import re

import numpy as np
import pytest

from ragate.core.comparison.compare import compare
from ragate.core.statistics.metric_noise import Noise
from ragate.core.statistics.power import Design, up_to_a_thousandth
from ragate.models import MetricVerdict, Rule, Verdict
from tests.unit.core.decision_factories import judge, noisy_pair, row_of, run_of, samples_of
from tests.unit.core.rules.allowance_factories import worse_by
from tests.unit.core.rules.noisy_factories import flips

RULE = Rule(metric="faithfulness")


def test_a_pass_that_holds_nothing_says_what_is_invisible():
    decision = judge(noisy_pair(*flips(40, 1, 1, cand=1)), RULE)
    row = row_of(decision, "faithfulness")

    assert decision.verdict is Verdict.PASSED
    assert row.verdict is MetricVerdict.CANNOT_TELL
    assert "no evidence of regression; with 40 samples and 3 baseline runs" in decision.lines[0]
    assert decision.remedies == ("ragate power",)
    assert "is missed in one of five runs" in row.reason
    assert row.mde is not None
    assert row.mde == pytest.approx(round(row.mde, 3))


def test_the_smallest_visible_drop_is_that_beyond_what_is_allowed():
    fine = row_of(judge(worse_by(0.0), Rule(metric="faithfulness", max_drop=0.0)), "faithfulness")
    coarse = row_of(judge(worse_by(0.0), Rule(metric="faithfulness", max_drop=0.2)), "faithfulness")

    assert fine.mde is not None
    assert coarse.mde is not None
    assert coarse.mde > 0.2 > fine.mde


def test_the_report_prints_the_drop_of_its_own_design():
    rng = np.random.default_rng(6)
    scores = (rng.random((60, 6)) < 0.95).astype(float)
    pair = noisy_pair(scores[:, :3], scores[:, 3:4], fingerprint="other", confirm=2)
    row = row_of(judge(pair, Rule(metric="faithfulness")), "faithfulness")
    twice = row_of(judge(pair, Rule(metric="faithfulness", level="warn")), "faithfulness")

    assert row.mde is not None
    assert twice.mde is not None
    assert row.mde < twice.mde  # what is shown only is never confirmed


def test_the_effect_of_one_baseline_run_is_planned_with_one():
    pair = noisy_pair(np.ones((50, 1)), np.ones((50, 1)))
    row = row_of(judge(pair, Rule(metric="faithfulness")), "faithfulness")
    one = Design(baseline_runs=1, allowed=0.01).mde(50, Noise())

    assert one is not None
    assert row.mde == up_to_a_thousandth(one)


def test_passes_of_the_candidate_tell_the_noise_that_one_baseline_run_does_not():
    rng = np.random.default_rng(3)
    scores = (rng.random((60, 4)) < 0.9).astype(float)
    once, thrice = (
        row_of(judge(noisy_pair(scores[:, :1], scores[:, 1:last]), RULE), "faithfulness")
        for last in (2, 4)
    )

    assert once.mde_note.startswith("noise unknown")
    assert once.mde_note.endswith("no promise")
    assert thrice.mde_note == ""


def test_a_first_run_says_the_one_figure_of_what_a_baseline_will_let_it_see():
    samples = samples_of(60)
    scores = [[float(row % 7 != 0)] for row in range(60)]
    decision = judge(compare(None, run_of({"faithfulness": scores}, samples), samples), RULE)
    (line,) = [line for line in decision.lines if "with a baseline of 3 runs" in line]

    assert re.findall(r"a drop of about [\d.]+ points in faithfulness is missed in one", line)
    assert line.endswith("of five runs (how much runs differ is assumed)")
