"""Floors, ceilings and must-pass samples."""

from __future__ import annotations

import datetime

import numpy as np
import pytest
from scipy import stats

from ragate.core.comparison.compare import compare
from ragate.core.rules.floors import decide_floors
from ragate.core.rules.metric_case import read_cases
from ragate.models import (
    Acceptance,
    DecisionSettings,
    Direction,
    MetricInfo,
    Reads,
    Rule,
    Run,
    Sample,
    Score,
    Verdict,
    Waiver,
    unscored,
)
from tests.unit.core.decision_factories import (
    EXACT,
    N_A,
    NOISY,
    TODAY,
    exact_pair,
    judge,
    noisy_pair,
    row_of,
    run_of,
    samples_of,
)

P95 = MetricInfo(name="p95", aggregate=True, high=None, direction=Direction.LOWER, unit="seconds")


def floor_of(n: int, passed: int, limit: float, **options: object):
    """Decide an unchanged noisy metric with a floor."""
    column = [[1.0]] * passed + [[0.0]] * (n - passed)
    comparison = noisy_pair(column, column)
    rule = Rule(metric="faithfulness", minimum=limit)
    decision = judge(comparison, rule, **options)
    return decision, row_of(decision, "faithfulness").floor


def test_a_floor_is_inclusive():
    assert floor_of(100, 90, 0.9)[0].verdict is Verdict.PASSED
    decision, floor = floor_of(100, 89, 0.9)
    assert decision.verdict is Verdict.FAILED
    assert decision.reasons == ("faithfulness is 0.890, below its minimum 0.900",)
    assert floor.met is False


@pytest.mark.parametrize("passed", range(60, 101, 4))
def test_a_floor_by_evidence_fails_below_the_wilson_bound(passed):
    _, floor = floor_of(100, passed, 0.9, floor="evidence")
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
    samples = samples_of(10)
    baseline = run_of({"faithfulness": [[1.0]] * 10}, samples)
    outage = run_of({"faithfulness": [[None]] * 8 + [[0.0]] * 2}, samples, words="after")
    bad = run_of({"faithfulness": [[None]] * 2 + [[0.0]] * 8}, samples, words="after")
    rule = Rule(metric="faithfulness", minimum=0.5)

    assert judge(compare(baseline, outage, samples), rule).verdict is Verdict.NO_DECISION
    assert judge(compare(baseline, bad, samples), rule).verdict is Verdict.FAILED


def test_a_floor_that_unscored_samples_could_break_is_not_decided():
    samples = samples_of(100)
    baseline = run_of({"faithfulness": [[1.0]] * 100}, samples)
    candidate = run_of({"faithfulness": [[None]] * 3 + [[1.0]] * 97}, samples, words="after")
    decision = judge(
        compare(baseline, candidate, samples), Rule(metric="faithfulness", minimum=0.99)
    )

    assert decision.verdict is Verdict.NO_DECISION
    assert any("unscored samples could put it beyond 0.990" in r for r in decision.reasons)


def test_nothing_scored_meets_no_floor():
    samples = samples_of(4)
    scores = {"faithfulness": [[None]] * 4}
    comparison = compare(run_of(scores, samples), run_of(scores, samples), samples)
    decision = judge(comparison, Rule(metric="faithfulness", minimum=0.0))

    assert decision.verdict is Verdict.NO_DECISION
    assert row_of(decision, "faithfulness").floor is None


def aggregate_pair(value: float | None, **rule: object):
    samples = samples_of(2)
    score = unscored("p95", "no latency") if value is None else Score(metric="p95", value=value)

    def run(found: Score) -> Run:
        made = run_of({"ndcg@10": [[1.0, 1.0]] * 2}, samples, infos=(EXACT,), same_outputs=True)
        manifest = made.manifest.model_copy(update={"metrics": {"ndcg@10": EXACT, "p95": P95}})
        return made.model_copy(update={"manifest": manifest, "aggregates": ({"p95": found},)})

    comparison = compare(run(Score(metric="p95", value=1.0)), run(score), samples)
    return judge(comparison, Rule(metric="p95", **rule))


def test_an_aggregate_is_shown_with_both_sides_and_held_against_its_limit_only():
    held = aggregate_pair(2.0, maximum=3.0)
    broken = aggregate_pair(4.0, maximum=3.0)

    assert held.verdict is Verdict.PASSED
    assert row_of(held, "p95").change == 1.0
    assert broken.reasons == ("p95 is 4.000, above its maximum 3.000",)


def test_an_aggregate_without_a_value_or_limit_gates_nothing():
    assert aggregate_pair(None, maximum=3.0).reasons == ("no latency",)
    assert aggregate_pair(None, maximum=3.0, level="warn").exit_code == 3
    limitless = aggregate_pair(2.0)
    assert limitless.verdict is Verdict.NO_DECISION
    assert any("shown and gates nothing" in line for line in limitless.warnings)


# Must-pass samples

RULE = Rule(metric="faithfulness", pass_at=0.8)


def must_pass(before: list[float] | None, tries: list[float | str | None], **options: object):
    """Decide 40 unchanged samples and one must-pass sample with these scores."""
    others = samples_of(40)
    sample = Sample(id="vat", query="Is VAT included?", must_pass=True)
    then = [sample, *others] if before is not None else others
    runs = len(before) if before else 3
    rest = [[float(row % 2)] * runs for row in range(40)]
    scores = [before, *rest] if before is not None else rest
    baseline = run_of({"faithfulness": scores}, then, words="before")
    candidate = run_of(
        {"faithfulness": [tries, *[[float(row % 2)] for row in range(40)]]},
        [sample, *others],
        words="after",
        deterministic=options.pop("deterministic", ()),  # type: ignore[arg-type]
    )
    comparison = compare(baseline, candidate, [sample, *others])
    return judge(comparison, options.pop("rule", RULE), **options)  # type: ignore[arg-type]


def test_two_of_three_failed_tries_are_red():
    decision = must_pass([1.0, 1.0, 1.0], [0.0, 1.0, 0.0])

    assert decision.verdict is Verdict.FAILED
    assert decision.reasons[0] == (
        "must-pass vat: faithfulness missed its pass mark 0.800 in 2 of 3 tries"
    )
    assert decision.wants_tries == 0


def test_one_of_three_failed_tries_is_met_and_its_false_red_rate_is_printed():
    decision = must_pass([1.0, 1.0, 1.0], [0.0, 1.0, 1.0])
    row = decision.must_pass[0]

    assert decision.verdict is Verdict.PASSED
    assert row.met
    assert row.eligible
    assert row.false_red is not None
    assert 0 < row.false_red < 0.05


def test_three_tries_are_wanted_always_but_not_of_a_deterministic_system():
    assert must_pass([1.0] * 3, [1.0]).wants_tries == 2
    assert must_pass([1.0] * 3, [0.0]).wants_tries == 2
    declared = (Reads.ANSWER, Reads.RETRIEVAL)
    assert must_pass([1.0] * 3, [1.0], deterministic=declared).wants_tries == 0


def test_a_sample_that_failed_before_is_shown_and_does_not_block():
    decision = must_pass([1.0, 0.0, 1.0], [0.0, 0.0, 0.0])

    assert decision.verdict is Verdict.PASSED
    assert not decision.must_pass[0].eligible
    assert any("failed in the baseline as well" in line for line in decision.warnings)


def test_a_new_must_pass_sample_counts():
    decision = must_pass(None, [0.0, 0.0, 0.0])

    assert decision.verdict is Verdict.FAILED
    assert decision.must_pass[0].false_red is None


def test_tries_that_were_not_scored_never_pass():
    decision = must_pass([1.0] * 3, [1.0, None, None])

    assert decision.verdict is Verdict.NO_DECISION
    assert not decision.must_pass[0].met
    assert any("2 unscored in 3" in reason for reason in decision.reasons)


def test_a_tie_of_two_tries_is_not_decided():
    assert any("a tie in 2" in r for r in must_pass([1.0] * 3, [1.0, 0.0]).reasons)


def test_a_must_pass_sample_without_a_label_is_not_judged_on_that_metric():
    assert must_pass(None, [N_A, N_A, N_A]).must_pass == ()


def test_a_waived_must_pass_sample_is_not_judged():
    waiver = Waiver(id="vat", metric="faithfulness", owner="tax", reason="law changed", until=TODAY)
    decision = must_pass([1.0] * 3, [0.0, 0.0, 0.0], waivers=[waiver])

    assert decision.must_pass == ()
    assert decision.waivers[0].until == "2026-06-01"
    late = waiver.model_copy(update={"until": TODAY - datetime.timedelta(days=1)})
    assert must_pass([1.0] * 3, [0.0, 0.0, 0.0], waivers=[late]).verdict is Verdict.FAILED


def test_one_baseline_run_gives_no_false_red_rate():
    assert must_pass([1.0], [1.0, 1.0, 1.0]).must_pass[0].false_red is None


def test_a_must_pass_sample_of_a_deterministic_metric_is_decided_at_once():
    samples = samples_of(3, must_pass=True)
    baseline = run_of({"ndcg@10": [[1.0, 1.0]] * 3}, samples, same_outputs=True)
    candidate = run_of(
        {"ndcg@10": [[0.0], [1.0], [1.0]]},
        samples,
        words="after",
        deterministic=(Reads.RETRIEVAL,),
    )
    rule = Rule(metric="ndcg@10", pass_at=0.5, max_drop=0.9)
    decision = judge(compare(baseline, candidate, samples), rule)

    assert decision.exit_code == 1
    assert decision.wants_tries == 0
    assert [row.false_red for row in decision.must_pass] == [0.0, 0.0, 0.0]
    assert decision.reasons[0].endswith("1 of 1 try")


def test_where_lower_is_better_the_pass_mark_is_a_ceiling():
    info = NOISY.model_copy(update={"direction": Direction.LOWER})
    samples = samples_of(40, must_pass=True)
    baseline = run_of({"faithfulness": [[0.0, 0.0]] * 40}, samples, infos=(info,))
    candidate = run_of(
        {"faithfulness": [[1.0] * 3] + [[0.0] * 3] * 39}, samples, infos=(info,), words="after"
    )
    rule = Rule(metric="faithfulness", pass_at=0.1)
    decision = judge(compare(baseline, candidate, samples), rule)

    assert [row.met for row in decision.must_pass].count(False) == 1


def test_exact_pairs_are_what_the_helpers_say():
    assert exact_pair([1.0], [1.0]).columns["ndcg@10"].exact


ACCEPTED = Acceptance(metric="faithfulness", by="mona", reason="the new policy is shorter")


def test_an_accepted_floor_is_shown_and_does_not_block():
    decision, floor = floor_of(100, 80, 0.9, accepted=[ACCEPTED])
    assert decision.verdict is Verdict.PASSED
    assert decision.exit_code == 0
    assert floor.met is False
    row = row_of(decision, "faithfulness")
    assert (row.blocks, row.accepted) == (False, True)
    assert decision.accepted == (ACCEPTED,)
    said = "accepted by mona (the new policy is shorter): faithfulness is 0.800"
    assert any(warning.startswith(said) for warning in decision.warnings)


def test_accepting_one_metric_leaves_another_red():
    comparison = exact_pair([1.0] * 20, [0.0] * 20)
    rule = Rule(metric=EXACT.name, max_drop=0.0)
    assert judge(comparison, rule, accepted=[ACCEPTED]).verdict is Verdict.FAILED
    taken = ACCEPTED.model_copy(update={"metric": EXACT.name})
    assert judge(comparison, rule, accepted=[taken]).verdict is Verdict.PASSED


def test_accepting_what_holds_changes_nothing():
    plain, _ = floor_of(100, 95, 0.9)
    taken, _ = floor_of(100, 95, 0.9, accepted=[ACCEPTED])
    assert taken == plain


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
    samples = samples_of(100)
    pair = compare(
        run_of({"faithfulness": scores}, samples, words="before"),
        run_of({"faithfulness": scores}, samples, words="after"),
        samples,
    )
    (_, outcome) = decide_floors(
        read_cases([Rule(metric="faithfulness", minimum=minimum)], pair, [], TODAY)[0],
        pair,
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
    floor, outcome = decide_floors(case, pair, DecisionSettings())

    assert case.everything().ravel().tolist() == [1.0] * 12
    assert floor is not None
    assert (floor.met, outcome.red, outcome.undecided) == (True, (), ())
