"""Floors, ceilings and must-pass samples."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from ragate.core.comparison.compare import Comparison, compare
from ragate.core.rules.floors import decide_floors
from ragate.core.rules.metric_case import read_cases
from ragate.models import DecisionSettings, Direction, MetricInfo, Needs, Rule, Verdict, Waiver
from tests.unit.core.decision_factories import (
    N_A,
    TODAY,
    judge,
    noisy_pair,
    row_of,
    run_of,
    samples_of,
)
from tests.unit.core.rules.floor_factories import floor_of

GRADE = MetricInfo(name="faithfulness", low=1.0, high=5.0, unit="grade", needs=Needs.JUDGE)


def test_a_floor_is_inclusive():
    assert floor_of(90)[0].verdict is Verdict.PASSED
    decision, floor = floor_of(89)
    assert decision.verdict is Verdict.FAILED
    assert decision.reasons == ("faithfulness is 0.890, below its minimum 0.900",)
    assert floor.met is False


@pytest.mark.parametrize("passed", range(60, 101, 4))
def test_a_floor_by_evidence_fails_below_the_wilson_bound(passed):
    _, floor = floor_of(passed, floor="evidence")
    high = stats.binomtest(passed, 100).proportion_ci(0.9, "wilson").high

    assert floor.bound == pytest.approx(high, abs=1e-9)
    assert floor.met == (high >= 0.9)
    assert floor.met == (passed / 100 >= floor.fails_at)


def test_a_floor_by_evidence_on_graded_scores_uses_students_t():
    values = np.linspace(0.5, 0.9, 20)
    comparison = noisy_pair(values[:, None], values[:, None])
    rule = Rule(metric="faithfulness", minimum=0.8)
    floor = row_of(judge(comparison, rule, floor="evidence"), "faithfulness").floor
    assert floor is not None
    bound = values.mean() + stats.t.ppf(0.95, 19) * stats.sem(values)

    assert floor.bound == pytest.approx(bound)
    assert floor.met == (bound >= 0.8)


def test_a_floor_by_evidence_on_one_grade_cannot_be_proven_missed():
    comparison = noisy_pair([[0.5]], [[0.5]])
    rule = Rule(metric="faithfulness", minimum=0.9)
    floor = row_of(judge(comparison, rule, floor="evidence"), "faithfulness").floor
    assert floor is not None
    assert floor.met


def test_a_ceiling_holds_the_other_way():
    refusals = MetricInfo(name="false_refusal", direction=Direction.LOWER)
    comparison = noisy_pair([[0.0]] * 50, [[0.0]] * 45 + [[1.0]] * 5, info=refusals)
    over = judge(comparison, Rule(metric="false_refusal", maximum=0.05))
    under = judge(comparison, Rule(metric="false_refusal", maximum=0.1))
    proven = judge(comparison, Rule(metric="false_refusal", maximum=0.01), floor="evidence")

    assert "false_refusal is 0.100, above its maximum 0.050" in over.reasons
    assert row_of(under, "false_refusal").floor.met  # type: ignore[union-attr]
    assert any("its lower 95 % bound is" in reason for reason in proven.reasons)


def test_added_samples_count_for_floors():
    now = samples_of(50)
    baseline = run_of({"faithfulness": [[1.0]] * 40}, now[:40], words="before")
    candidate = run_of({"faithfulness": [[1.0]] * 40 + [[0.0]] * 10}, now, words="after")
    decision = judge(compare(baseline, candidate, now), Rule(metric="faithfulness", minimum=0.9))

    assert "faithfulness is 0.800, below its minimum 0.900" in decision.reasons


def test_an_unscored_share_never_excuses_nor_invents_a_missed_floor():
    outage = noisy_pair([[1.0]] * 10, [[None]] * 8 + [[0.0]] * 2)
    bad = noisy_pair([[1.0]] * 10, [[None]] * 2 + [[0.0]] * 8)
    rule = Rule(metric="faithfulness", minimum=0.5)

    assert judge(outage, rule).verdict is Verdict.NO_DECISION
    assert judge(bad, rule).verdict is Verdict.FAILED


def test_a_missing_score_is_held_against_a_floor_at_the_worst_of_the_baselines_runs():
    rest: list[Any] = [*[[1.0] * 3] * 96, [None] * 3, [None] * 3]
    steady, shaky = ([row, row, *rest] for row in ([1.0] * 3, [1.0, 1.0, 0.0]))
    candidate = [[None]] * 2 + [[1.0]] * 98
    rule = Rule(metric="faithfulness", minimum=0.99)

    assert judge(noisy_pair(steady, candidate), rule).verdict is Verdict.PASSED
    decision = judge(noisy_pair(shaky, candidate), rule)
    assert decision.verdict is Verdict.NO_DECISION
    assert any("unscored samples could put it beyond 0.990" in r for r in decision.reasons)


def test_a_missing_score_of_a_new_sample_is_held_against_a_floor_at_its_worst():
    samples = samples_of(42)
    baseline = run_of({"faithfulness": [[1.0]] * 40}, samples[:40])
    candidate = run_of({"faithfulness": [[1.0]] * 40 + [[None]] * 2}, samples, words="after")
    decision = judge(
        compare(baseline, candidate, samples), Rule(metric="faithfulness", minimum=0.99)
    )

    assert any("unscored samples could put it beyond 0.990" in r for r in decision.reasons)


def test_nothing_scored_meets_no_floor():
    samples = samples_of(4)
    scores = {"faithfulness": [[None]] * 4}
    comparison = compare(run_of(scores, samples), run_of(scores, samples), samples)
    decision = judge(comparison, Rule(metric="faithfulness", minimum=0.0))

    assert decision.verdict is Verdict.NO_DECISION
    assert row_of(decision, "faithfulness").floor is None


@pytest.mark.parametrize(("least", "most", "shown"), [(0.5, 0.8, 0.8), (0.95, 1.0, 0.95)])
def test_of_two_limits_the_one_that_is_missed_is_shown(least, most, shown):
    column = [[1.0]] * 90 + [[0.0]] * 10
    rule = Rule(metric="faithfulness", minimum=least, maximum=most)
    floor = row_of(judge(noisy_pair(column, column), rule), "faithfulness").floor

    assert floor is not None
    assert (floor.limit, floor.met) == (shown, False)


@pytest.mark.parametrize(
    ("missing", "lost", "minimum", "code"),
    [
        (1, 0, 0.5, 0),  # met whatever the missing one would have been
        (5, 5, 0.95, 1),  # as much is missing as is allowed: what was measured decides
        (6, 5, 0.95, 3),  # and with one more it does not
    ],
)
def test_what_is_missing_decides_a_floor_only_where_it_could(missing, lost, minimum, code):
    scores = [[None]] * missing + [[0.0]] * lost + [[1.0]] * (100 - missing - lost)
    pair = noisy_pair(scores, scores)
    (_, outcome) = decide_floors(
        read_cases([Rule(metric="faithfulness", minimum=minimum)], pair, [], TODAY)[0],
        DecisionSettings(),
    )

    assert (bool(outcome.red), bool(outcome.undecided)) == (code == 1, code == 3)


def test_an_added_sample_that_is_waived_or_without_a_label_is_no_gap_in_a_floor():
    samples = samples_of(20)
    waiver = Waiver(id="q0019", metric="faithfulness", owner="x", reason="y", until=TODAY)
    pair = compare(
        run_of({"faithfulness": [[1.0]] * 10}, samples[:10], words="before"),
        run_of({"faithfulness": [[1.0]] * 12 + [[N_A]] * 7 + [[0.0]]}, samples, words="after"),
        samples,
    )
    rule = Rule(metric="faithfulness", minimum=0.95)
    (case,) = read_cases([rule], pair, [waiver], TODAY)
    floor, outcome = decide_floors(case, DecisionSettings())

    assert case.everything().ravel().tolist() == [1.0] * 12
    assert floor is not None
    assert (floor.met, outcome.red, outcome.undecided) == (True, (), ())


def test_a_warning_level_floor_is_shown_and_blocks_nothing():
    pair = noisy_pair(np.ones((100, 3)), np.ones((100, 1)) * 0.5)
    decision = judge(pair, Rule(metric="faithfulness", level="warn", minimum=0.9))
    row = row_of(decision, "faithfulness")

    assert row.floor is not None
    assert not row.floor.met
    assert not row.blocks
    assert decision.exit_code == 3


def test_a_floor_on_a_metric_nobody_measured_is_said_once():
    decision = judge(
        noisy_pair(np.ones((9, 1)), np.ones((9, 1))), Rule(metric="recall@10", minimum=0.5)
    )

    assert decision.reasons == ("recall@10 was not measured",)


def test_a_floor_by_evidence_on_grades_is_the_same_as_on_their_share_of_the_range():
    grades = np.array([[2.0], [3.0], [5.0], [4.0], [1.0], [4.0]] * 5)
    rule = Rule(metric="faithfulness")
    own = judge(noisy_pair(grades, grades, info=GRADE), rule.amended(minimum=4.0), floor="evidence")
    share = (grades - 1) / 4
    unit = judge(noisy_pair(share, share), rule.amended(minimum=0.75), floor="evidence")
    a, b = row_of(own, "faithfulness").floor, row_of(unit, "faithfulness").floor

    assert a is not None
    assert b is not None
    assert None not in (a.bound, a.fails_at, b.bound, b.fails_at)
    assert a.bound == pytest.approx(1 + 4 * (b.bound or 0.0))
    assert a.fails_at == pytest.approx(1 + 4 * (b.fails_at or 0.0))


def test_a_floor_by_evidence_is_by_evidence_for_what_is_missing_as_well():
    scores = [[None]] + [[0.0]] * 12 + [[1.0]] * 87
    pair = noisy_pair(scores, scores)

    def reasons(minimum: float) -> tuple[str, ...]:
        return judge(pair, Rule(metric="faithfulness", minimum=minimum), floor="evidence").reasons

    assert reasons(0.9) == ()  # at most 0.92 with the missing one counted as 0, 0.93 without
    assert "could put it beyond 0.922" in reasons(0.922)[0]


def of_documents(lost: int) -> Comparison:
    """Compare a run with itself; all questions on each of the first `lost` of 10 documents fail."""
    samples = [
        sample.amended(metadata={"doc": f"d{row // 10}"})
        for row, sample in enumerate(samples_of(100))
    ]
    scores = [[float(row // 10 >= lost)] for row in range(100)]
    return noisy_pair(scores, scores, samples, cluster="doc")


def test_a_floor_by_evidence_counts_documents_where_questions_on_one_fail_together():
    rule = Rule(metric="faithfulness", minimum=0.9)
    two, six = (
        row_of(judge(of_documents(lost), rule, floor="evidence"), "faithfulness").floor
        for lost in (2, 6)
    )
    assert two is not None
    assert six is not None
    clusters = np.repeat([0.0, 1.0], [2, 8])

    # A hundred independent questions of which 80 pass would prove that 0.9 is missed.
    assert stats.binomtest(80, 100).proportion_ci(0.9, "wilson").high < 0.9
    assert two.bound == pytest.approx(0.8 + stats.t.ppf(0.95, 9) * stats.sem(clusters))
    assert two.met
    assert not six.met
