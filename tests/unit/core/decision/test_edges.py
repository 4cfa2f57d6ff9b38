"""Limits hit exactly, defaults, and what stays silent: the places where a small slip would hide."""

from __future__ import annotations

import datetime

import numpy as np
import pytest
from scipy import stats

from ragate.core.comparison.compare import compare
from ragate.core.comparison.run_passes import read_passes
from ragate.core.decision.drift_control import drift_notes
from ragate.core.rules.metric_case import RuleOutcome, read_cases, worst_case
from ragate.core.statistics.interval import difference_interval, tango
from ragate.core.statistics.permutation import Block, relabel, step_down
from ragate.core.statistics.score_columns import row_means
from ragate.models import MetricInfo, Needs, Rule, Score, Verdict, Waiver, unscored
from tests.unit.core.decision_factories import (
    NOISY,
    TODAY,
    judge,
    noisy_pair,
    row_of,
    run_of,
    samples_of,
)

RULE = Rule(metric="faithfulness")


def test_without_a_baseline_the_system_is_not_taken_for_the_same():
    samples = samples_of(5)
    comparison = compare(None, run_of({"faithfulness": [[1.0]] * 5}, samples), samples)
    decision = judge(comparison, RULE)

    assert not comparison.same_system
    assert decision.runs_baseline == 0
    assert decision.claim == "generalise"


def test_a_rate_is_the_mean_over_the_passes():
    rate = MetricInfo(name="error_rate", aggregate=True)
    samples = samples_of(2)
    scores = {"faithfulness": [[1.0, 1.0]] * 2}
    passes = tuple({"error_rate": Score(metric="error_rate", value=each)} for each in (0.2, 0.4))
    run = run_of(scores, samples, infos=(NOISY,))
    run = run.model_copy(
        update={
            "aggregates": passes,
            "manifest": run.manifest.model_copy(
                update={"metrics": {**run.manifest.metrics, "error_rate": rate}}
            ),
        }
    )
    comparison = compare(run, run, samples)

    assert comparison.aggregates["error_rate"].candidate == pytest.approx(0.3)
    half = run.model_copy(
        update={"aggregates": (passes[0], {"error_rate": unscored("error_rate", "clock stopped")})}
    )
    assert compare(run, half, samples).aggregates["error_rate"].reason == "clock stopped"


def test_two_candidate_runs_are_a_confirmation_and_one_is_not():
    once = judge(noisy_pair(np.ones((40, 3)), np.ones((40, 1))), RULE)
    twice = judge(noisy_pair(np.ones((40, 3)), np.ones((40, 2))), RULE)

    assert (once.confirmed, twice.confirmed) == (False, True)


def test_the_command_that_tells_what_would_settle_it_is_named_where_it_helps_alone():
    blind = noisy_pair(np.ones((20, 3)), np.ones((20, 1)))
    sure = noisy_pair(np.ones((100, 3)), np.ones((100, 1)))

    assert judge(blind, RULE).remedies == ("ragate power",)
    assert judge(blind, Rule(metric="faithfulness", minimum=0.5)).remedies == ("ragate power",)
    assert judge(sure, RULE).remedies == ()
    assert judge(blind, Rule(metric="faithfulness", level="warn")).remedies == ()
    failed = judge(blind, Rule(metric="faithfulness", maximum=0.5))
    assert (failed.verdict, failed.remedies) == (Verdict.FAILED, ())


def test_passes_that_all_differ_are_not_said_to_repeat():
    decision = judge(noisy_pair(np.ones((40, 3)), np.ones((40, 1))), RULE)

    assert not any("byte-equal" in one for one in decision.warnings)


def test_nothing_recorded_is_all_of_it_missing():
    samples = samples_of(10)
    baseline = run_of({"faithfulness": [[1.0]] * 10}, samples)
    bare = baseline.model_copy(update={"records": ()})

    assert (
        "faithfulness: 100.0% of the candidate's scores are missing"
        in judge(compare(baseline, bare, samples), RULE).reasons[0]
    )


def test_the_two_most_frequent_reasons_are_named():
    samples = samples_of(9)
    baseline = run_of({"faithfulness": [[1.0]] * 9}, samples)
    candidate = run_of({"faithfulness": [[1.0]] * 9}, samples, words="after")
    reasons = ["timeout"] * 4 + ["refused"] * 3 + ["cut off"] * 2
    records = tuple(
        record.model_copy(update={"scores": {"faithfulness": unscored("faithfulness", why)}})
        for record, why in zip(candidate.records, reasons, strict=True)
    )
    lost = candidate.model_copy(update={"records": records})
    (reason, *_) = judge(compare(baseline, lost, samples), RULE).reasons

    assert reason.endswith("timeout (4), refused (3) and 1 more")
    assert row_of(judge(compare(baseline, lost, samples), RULE), "faithfulness").n == 0


def test_a_run_of_other_samples_has_no_pass():
    run = run_of({"faithfulness": [[1.0]] * 3}, samples_of(3))

    assert read_passes(run, ["elsewhere"]).whole == ()
    assert read_passes(run, ["elsewhere"]).repeats == 0
    assert read_passes(run, []).whole == ()


@pytest.mark.parametrize(("runs", "identical", "repeats"), [(2, 1, 2), (3, 2, 3), (3, 1, 1)])
def test_equal_passes_that_a_file_does_not_hold_are_counted_where_it_says_so(
    runs, identical, repeats
):
    run = run_of({"faithfulness": [[1.0]] * 3}, samples_of(3))
    manifest = run.manifest.model_copy(update={"runs": runs, "identical": identical})
    found = read_passes(run.model_copy(update={"manifest": manifest}), ["q0000", "q0001", "q0002"])

    assert (found.repeats, found.identical) == (repeats, repeats - 1)


def test_without_a_baseline_nobody_knows_what_is_affected():
    samples = samples_of(3)
    comparison = compare(None, run_of({"faithfulness": [[1.0]] * 3}, samples), samples)

    assert comparison.affected is None


def test_what_has_no_p_does_not_drift():
    decision = judge(noisy_pair(np.ones((20, 3)), np.ones((20, 1))), RULE)
    row = row_of(decision, "faithfulness")
    moved = row.model_copy(update={"p": 0.001, "change": -0.2})

    assert drift_notes({}, level=0.02) == ()
    assert (
        drift_notes(
            {"a": RuleOutcome(), "b": RuleOutcome(row.model_copy(update={"p": None}))}, level=1
        )
        == ()
    )
    assert (
        drift_notes({"a": RuleOutcome(moved.model_copy(update={"change": None}))}, level=0.02) == ()
    )
    assert "faithfulness -0.200" in drift_notes({"a": RuleOutcome(moved)}, level=0.001)[0]
    assert drift_notes({"a": RuleOutcome(moved)}, level=0.0009) == ()


def test_a_waived_sample_is_not_tested_against_a_control_either():
    samples = samples_of(40)
    good, bad = [[1.0, 1.0, 1.0]] * 40, [[1.0]] * 30 + [[0.0]] * 10
    baseline = run_of({"faithfulness": good}, samples, words="then")
    control = run_of({"faithfulness": good}, samples, words="today")
    candidate = run_of({"faithfulness": bad}, samples, words="after")
    day = TODAY + datetime.timedelta(days=1)
    waived = [
        Waiver(id=sample.id, metric="faithfulness", owner="me", reason="known", until=day)
        for sample in samples[32:]
    ]
    decision = judge(compare(baseline, candidate, samples), RULE, control=control, waivers=waived)

    assert any("run today" in line for line in decision.warnings)
    assert row_of(decision, "faithfulness").n == 32
    assert row_of(decision, "faithfulness").worse == 2


def test_a_control_is_compared_although_the_golden_set_has_grown():
    samples = samples_of(45)
    known = samples[:40]
    baseline = run_of({"faithfulness": [[1.0, 1.0, 1.0]] * 40}, known, words="then")
    control = run_of({"faithfulness": [[1.0, 1.0, 1.0]] * 40}, known, words="today")
    candidate = run_of({"faithfulness": [[1.0]] * 30 + [[0.0]] * 15}, samples, words="after")

    decision = judge(compare(baseline, candidate, samples), RULE, control=control)

    assert any("run today" in line for line in decision.warnings)
    assert row_of(decision, "faithfulness").worse == 10


def test_the_fewest_losses_are_those_of_the_deciding_claim():
    pair = noisy_pair(np.ones((15, 3)), np.ones((15, 1)))

    for claim, losses in (("this-set", 3), ("generalise", 5)):
        said = f"15 samples: {losses} must break before this gate can fail"
        assert said in judge(pair, RULE, claim=claim).warnings


GRADE = MetricInfo(name="faithfulness", low=1.0, high=5.0, unit="grade", needs=Needs.JUDGE)


def test_an_interval_is_in_the_metrics_own_unit():
    rng = np.random.default_rng(5)
    before, after = rng.integers(1, 6, (40, 3)), rng.integers(1, 6, (40, 1))
    grades = row_of(judge(noisy_pair(before, after, info=GRADE), RULE), "faithfulness")
    unit = row_of(judge(noisy_pair((before - 1) / 4, (after - 1) / 4), RULE), "faithfulness")

    assert grades.interval is not None
    assert unit.interval is not None
    assert grades.interval == pytest.approx([4 * bound for bound in unit.interval])


def test_added_samples_count_where_samples_are_counted():
    samples = samples_of(12)
    before = run_of({"faithfulness": [[1.0]] * 9}, samples[:9])
    after = run_of(
        {"faithfulness": [[1.0]] * 8 + [[None], ["n/a"], [None], [1.0]]}, samples, words="after"
    )
    row = row_of(judge(compare(before, after, samples), RULE, max_unscored=0.9), "faithfulness")

    assert (row.not_applicable, row.unscored_candidate) == (1, 2)


def test_a_waived_sample_is_not_filled_with_the_worst_value():
    day = TODAY + datetime.timedelta(days=1)
    waiver = Waiver(id="q0000", metric="faithfulness", owner="me", reason="known", until=day)
    samples = samples_of(5)
    pair = compare(
        run_of({"faithfulness": [[1.0]] * 5}, samples),
        run_of({"faithfulness": [[None]] * 2 + [[1.0]] * 3}, samples, words="after"),
        samples,
    )
    (case,) = read_cases([RULE], pair, [waiver], TODAY)
    filled = worst_case(case)

    assert filled is not None
    assert filled.column is not None
    assert np.isnan(filled.column.candidate.values[0, 0])
    assert filled.column.candidate.values[1, 0] == 0.0


def test_the_mean_that_fills_a_baseline_is_of_counted_samples():
    day = TODAY + datetime.timedelta(days=1)
    waiver = Waiver(id="q0000", metric="faithfulness", owner="me", reason="known", until=day)
    before = [[0.0], [None], [1.0], [0.5]]
    samples = samples_of(4)
    pair = compare(
        run_of({"faithfulness": before}, samples),
        run_of({"faithfulness": [[1.0]] * 4}, samples, words="after"),
        samples,
    )
    (case,) = read_cases([RULE], pair, [waiver], TODAY)
    filled = worst_case(case)

    assert filled is not None
    assert filled.column is not None
    assert filled.column.baseline.values[1, 0] == 0.75


def test_the_false_red_rate_of_a_must_pass_sample_is_that_of_two_in_three():
    samples = [sample.model_copy(update={"must_pass": True}) for sample in samples_of(10)]
    before = [[1.0, 1.0, 0.0]] + [[1.0] * 3] * 9
    pair = compare(
        run_of({"faithfulness": before}, samples),
        run_of({"faithfulness": [[1.0]] * 10}, samples, words="after"),
        samples,
    )
    rows = judge(pair, Rule(metric="faithfulness", pass_at=1.0)).must_pass
    f = 1.5 / 29  # 28 tries of samples that passed otherwise, one failed, half a failure added

    assert rows[1].false_red == pytest.approx(3 * f * f * (1 - f) + f**3)
    assert [row.eligible for row in rows] == [False] + [True] * 9


def test_a_floor_by_evidence_on_grades_is_the_same_as_on_their_share_of_the_range():
    grades = np.array([[2.0], [3.0], [5.0], [4.0], [1.0], [4.0]] * 5)
    rule = {"metric": "faithfulness"}
    own = judge(noisy_pair(grades, grades, info=GRADE), Rule(**rule, minimum=4.0), floor="evidence")
    share = (grades - 1) / 4
    unit = judge(noisy_pair(share, share), Rule(**rule, minimum=0.75), floor="evidence")
    a, b = row_of(own, "faithfulness").floor, row_of(unit, "faithfulness").floor

    assert a is not None
    assert b is not None
    assert None not in (a.bound, a.fails_at, b.bound, b.fails_at)
    assert a.bound == pytest.approx(1 + 4 * (b.bound or 0.0))
    assert a.fails_at == pytest.approx(1 + 4 * (b.fails_at or 0.0))


def test_an_empty_baseline_matches_nothing_and_that_is_not_enough():
    samples = samples_of(3)
    run = run_of({"faithfulness": [[1.0]] * 3}, samples)
    empty = run.model_copy(update={"records": ()})

    assert not compare(empty, run, samples).enough


# Bounds printed by another implementation of the same interval.
TANGO = {
    (1, 0, 20): (-0.236131, 0.119181),
    (7, 2, 50): (-0.231267, 0.020922),
    (12, 3, 40): (-0.401809, -0.038883),
    (0, 5, 30): (0.034234, 0.335644),
    (5, 0, 5): (-1.0, -0.131035),
    (0, 5, 5): (0.131035, 1.0),
    (19, 1, 20): (-0.982237, -0.527738),
}


@pytest.mark.parametrize("table", TANGO)
def test_tangos_interval_has_its_known_bounds(table):
    assert tango(*table).two_sided() == pytest.approx(TANGO[table], abs=2e-6)


def test_one_yes_or_no_run_a_side_is_given_tangos_interval():
    before, after = [[1.0]] * 20 + [[0.0]] * 20, [[0.0]] * 7 + [[1.0]] * 15 + [[0.0]] * 18
    row = row_of(judge(noisy_pair(before, after), RULE), "faithfulness")

    assert (row.worse, row.better) == (7, 2)
    assert row.interval == pytest.approx(tango(7, 2, 40).two_sided())


def test_the_studentised_bootstrap_is_the_plain_one():
    rng = np.random.default_rng(1)
    values = np.concatenate([np.zeros(30), -rng.random(6), rng.random(2)])
    error = values.std(ddof=1) / np.sqrt(38)
    drawn = values[rng.integers(0, 38, (40_000, 38))]
    spread = drawn.std(axis=1, ddof=1) / np.sqrt(38)
    t = (drawn.mean(axis=1) - values.mean())[spread > 1e-6] / spread[spread > 1e-6]
    low = values.mean() - max(np.quantile(t, 0.975), stats.t.ppf(0.975, 37)) * error
    high = values.mean() - min(np.quantile(t, 0.025), stats.t.ppf(0.025, 37)) * error
    found = difference_interval(values, seed=3, paired_binary=False).two_sided()

    assert found == pytest.approx((low, high), abs=0.01)
    assert np.quantile(t, 0.975) > stats.t.ppf(0.975, 37) + 0.3  # the bootstrap decides a side


def test_what_is_missing_is_left_out_of_a_mean():
    assert row_means(np.array([[1.0, np.nan], [0.25, 0.75]])).tolist() == [1.0, 0.5]
    samples = samples_of(20)
    before = run_of({"faithfulness": [[0.5, None, 0.5]] + [[0.5] * 3] * 19}, samples)
    after = run_of({"faithfulness": [[0.5]] * 20}, samples, words="after")
    row = row_of(judge(compare(before, after, samples), RULE), "faithfulness")

    assert (row.baseline, row.change) == (0.5, 0.0)


def test_two_metrics_of_many_runs_still_have_two_claims():
    infos = [MetricInfo(name=name, needs=Needs.JUDGE) for name in ("a", "b")]
    samples = samples_of(30)
    before = {name: [[1.0] * 3] * 30 for name in ("a", "b")}
    after = {"a": [[0.0]] * 4 + [[1.0]] * 26, "b": [[1.0]] * 30}
    pair = compare(
        run_of(before, samples, infos=infos),
        run_of(after, samples, infos=infos, words="x"),
        samples,
    )
    row = row_of(judge(pair, Rule(metric="a"), Rule(metric="b")), "a")

    assert row.p == pytest.approx(0.25**4, abs=1e-3)
    assert row.p_other == pytest.approx(0.5**5, abs=1e-3)


def test_three_labels_are_drawn_from_three():
    rng = np.random.default_rng(8)
    values = (rng.random((40, 3, 1)) < 0.8).astype(float)
    values[:4, 2] = 0.0
    block = Block(values, 1)
    pick = rng.integers(0, 3, (20_000, 40))
    chosen = np.take_along_axis(values[None, :, :, 0], pick[:, :, None], axis=2)[:, :, 0]
    stars = (1.5 * chosen - 0.5 * values[:, :, 0].sum(axis=1)).sum(axis=1)
    expected = (stars <= block.differences.sum() + 1e-9).mean()

    assert step_down(relabel([block], seed=1))[0] == pytest.approx(expected, abs=0.02)
    twice = step_down(relabel([Block(np.repeat(values, 2, axis=2), 1)], seed=1))
    assert twice == pytest.approx([expected, expected], abs=0.02)
