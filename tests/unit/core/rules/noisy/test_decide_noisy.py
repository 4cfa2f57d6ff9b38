"""The verdicts of noisy metrics: claims, confirmation, control, clusters, ragged runs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragate.core.comparison.compare import compare
from ragate.models import (
    Direction,
    MetricInfo,
    MetricVerdict,
    Needs,
    Reads,
    Rule,
    Sample,
    Verdict,
    Waiver,
)
from tests.unit.core.decision_factories import (
    EXACT,
    N_A,
    NIGHT,
    NOISY,
    columns,
    judge,
    noisy_pair,
    row_of,
    run_of,
    samples_of,
)

RULE = Rule(metric="faithfulness")


def flips(n: int, lost: int, gained: int = 0, *, base: int = 3, cand: int = 3):
    """Arrays of a steady system where `lost` samples break and `gained` are mended."""
    before = np.ones((n, base))
    before[lost : lost + gained] = 0.0
    after = np.ones((n, cand))
    after[:lost] = 0.0
    return before, after


def test_a_proven_drop_is_red_and_said_as_a_frequency():
    decision = judge(noisy_pair(*flips(100, 10)), RULE)
    row = row_of(decision, "faithfulness")

    assert decision.verdict is Verdict.FAILED
    assert row.verdict is MetricVerdict.REGRESSED
    assert decision.reasons == (
        (
            "faithfulness fell by 0.100 (1.000 -> 0.900); "
            "an unchanged system does this in fewer than 1 run of 10,000"
        ),
    )
    assert row.p is not None
    assert row.p > 0
    assert row.interval is not None
    assert row.interval[0] < -0.1 < row.interval[1] < 0
    assert decision.confirmed
    assert decision.wants_runs == 0


def test_the_lines_give_the_effect_the_error_and_the_other_claim():
    decision = judge(noisy_pair(*flips(100, 10)), RULE)

    assert decision.lines == (
        "100 samples with 3 baseline runs can see drops of 2.4 points or more",
        "1 metric tested: a change that changes nothing is red in at most 1 run of 50",
        (
            "decided for this golden set; that fresh questions would get worse: "
            "faithfulness, in about 1 run of 2,048"
        ),
    )


def test_a_pass_that_holds_nothing_says_what_is_invisible():
    decision = judge(noisy_pair(*flips(40, 1, 1, cand=1)), RULE)
    row = row_of(decision, "faithfulness")

    assert decision.verdict is Verdict.PASSED
    assert row.verdict is MetricVerdict.CANNOT_TELL
    assert "no evidence of regression; drops below" in decision.lines[0]
    assert decision.remedies == ("ragate power",)
    assert "this set can see drops of" in row.reason
    assert row.mde is not None
    assert row.mde == pytest.approx(round(row.mde, 3))


def test_enough_samples_hold():
    row = row_of(judge(noisy_pair(*flips(200, 1, 1)), RULE), "faithfulness")

    assert row.verdict is MetricVerdict.HELD
    assert "a drop of 0.050 or more is excluded" in row.reason


def test_a_rise_is_an_improvement():
    row = row_of(judge(noisy_pair(*flips(100, 0, 12)), RULE), "faithfulness")

    assert row.verdict is MetricVerdict.IMPROVED
    assert row.change == pytest.approx(0.12)
    assert row.better == 12


def test_where_lower_is_better_a_rise_is_red_and_the_interval_has_its_sign():
    info = NOISY.model_copy(update={"direction": Direction.LOWER})
    before, after = flips(100, 10)
    decision = judge(noisy_pair(1 - before, 1 - after, info=info), RULE)
    row = row_of(decision, "faithfulness")

    assert decision.verdict is Verdict.FAILED
    assert row.change == pytest.approx(0.1)
    assert row.interval is not None
    assert 0 < row.interval[0] < 0.1 < row.interval[1]


def test_grades_are_mapped_and_shown_in_their_own_unit():
    info = MetricInfo(name="faithfulness", low=1, high=5, unit="grade", needs=Needs.JUDGE)
    before, after = flips(100, 10)
    row = row_of(judge(noisy_pair(1 + 4 * before, 1 + 4 * after, info=info), RULE), "faithfulness")

    assert row.verdict is MetricVerdict.REGRESSED
    assert row.baseline == pytest.approx(5.0)
    assert row.change == pytest.approx(-0.4)
    assert row.mde == pytest.approx(0.024 * 4)


def test_a_proven_drop_below_the_smallest_that_counts_is_yellow():
    before, after = flips(1000, 12)
    decision = judge(noisy_pair(before, after), RULE)
    row = row_of(decision, "faithfulness")

    assert row.verdict is MetricVerdict.WORSE_HERE
    assert decision.verdict is Verdict.PASSED
    assert "proven, but less than the 0.020 that counts" in row.reason
    assert decision.warnings[0] == row.reason


def test_a_margin_must_be_proven_exceeded():
    pair = noisy_pair(*flips(100, 10))
    lenient = judge(pair, Rule(metric="faithfulness", margin=0.09))
    strict = judge(pair, Rule(metric="faithfulness", margin=0.01))

    assert row_of(lenient, "faithfulness").verdict is MetricVerdict.WORSE_HERE
    assert "one beyond the margin of 0.090 is not" in row_of(lenient, "faithfulness").reason
    assert strict.verdict is Verdict.FAILED


def test_a_margin_of_grades_is_in_grades():
    info = MetricInfo(name="faithfulness", low=1, high=5, unit="grade", needs=Needs.JUDGE)
    before, after = (1 + 4 * each for each in flips(100, 10))
    pair = noisy_pair(before, after, info=info)

    for margin, code in ((0.04, 1), (0.36, 0)):
        assert judge(pair, Rule(metric="faithfulness", margin=margin)).exit_code == code


def test_a_margin_shares_its_error_among_the_metrics():
    names = ("a", "b")
    infos = [MetricInfo(name=name, needs=Needs.JUDGE) for name in names]
    before, after = (columns(each) for each in flips(100, 10))
    samples = samples_of(100)
    pair = compare(
        run_of(dict.fromkeys(names, before), samples, infos=infos, words="before"),
        run_of({"a": after, "b": before}, samples, infos=infos, words="after"),
        samples,
    )
    single = noisy_pair(before, after)
    margins = (0.025, 0.03, 0.035, 0.04, 0.045, 0.05)

    def code(margin: float) -> int:
        return judge(pair, Rule(metric="a", margin=margin), Rule(metric="b")).exit_code

    def alone(margin: float, alpha: float) -> int:
        return judge(single, Rule(metric="faithfulness", margin=margin), alpha=alpha).exit_code

    assert [code(margin) for margin in margins] == [alone(margin, 0.01) for margin in margins]
    assert [alone(margin, 0.04) for margin in margins] != [
        alone(margin, 0.01) for margin in margins
    ]


def test_a_change_of_the_system_is_judged_for_fresh_questions():
    before, after = flips(40, 5, 1)
    same = judge(noisy_pair(before, after), RULE)
    other = judge(noisy_pair(before, after, fingerprint="other"), RULE)
    unknown = judge(noisy_pair(before, after, fingerprint=""), RULE)
    forced = judge(noisy_pair(before, after, fingerprint="other"), RULE, claim="this-set")

    assert (same.claim, same.verdict) == ("this-set", Verdict.FAILED)
    assert (other.claim, other.verdict) == ("generalise", Verdict.PASSED)
    assert unknown.claim == "generalise"
    assert forced.verdict is Verdict.FAILED
    row = row_of(other, "faithfulness")
    assert row.verdict is MetricVerdict.WORSE_HERE
    assert "evidence that this golden set got worse, none that fresh" in row.reason
    assert "decided for fresh questions" in other.lines[2]


def test_evidence_for_fresh_questions_alone_is_yellow_as_well():
    decision = judge(noisy_pair(*flips(60, 5, cand=1)), RULE, alpha=1e-4)
    row = row_of(decision, "faithfulness")

    assert decision.claim == "this-set"
    assert row.verdict is MetricVerdict.WORSE_HERE
    assert "evidence that fresh questions would get worse" in row.reason


def test_a_suspicious_first_run_asks_for_confirmation_and_a_clean_one_does_not():
    suspicious = judge(noisy_pair(*flips(40, 2, cand=1), confirm=2), RULE)
    clean = judge(noisy_pair(*flips(40, 1, 2, cand=1), confirm=2), RULE)
    none_wanted = judge(noisy_pair(*flips(40, 2, cand=1), confirm=0), RULE)

    assert suspicious.wants_runs == 2
    assert any("2 more runs over all samples" in line for line in suspicious.warnings)
    assert clean.wants_runs == 0
    assert not clean.confirmed
    assert none_wanted.wants_runs == 0
    assert not any("more run" in line for line in none_wanted.warnings)


def test_confirmation_runs_that_repeat_byte_for_byte_are_not_asked_for_again():
    samples = samples_of(40)
    before, after = flips(40, 8)
    baseline = run_of({"faithfulness": columns(before)}, samples, words="before")
    candidate = run_of({"faithfulness": columns(after)}, samples, words="after", same_outputs=True)
    decision = judge(compare(baseline, candidate, samples), RULE)

    assert decision.runs_candidate == 3
    assert decision.wants_runs == 0


def test_a_system_that_declares_its_answers_is_not_run_again():
    pair = noisy_pair(*flips(40, 8, cand=1), deterministic=(Reads.ANSWER,))

    assert judge(pair, RULE).wants_runs == 0


def test_several_metrics_share_the_error_and_warnings_stay_outside():
    names = ("a", "b", "c")
    infos = [MetricInfo(name=name, needs=Needs.JUDGE) for name in names]
    before, after = flips(60, 6, cand=1)
    samples = samples_of(60)
    then = {name: columns(before) for name in names}
    now = {"a": columns(after), "b": columns(before[:, :1]), "c": columns(after)}
    comparison = compare(
        run_of(then, samples, infos=infos, words="before"),
        run_of(now, samples, infos=infos, words="after"),
        samples,
    )
    rules = [Rule(metric="a"), Rule(metric="b"), Rule(metric="c", level="warn")]
    decision = judge(comparison, *rules)

    assert decision.family == ("a", "b")
    assert row_of(decision, "a").blocks
    assert row_of(decision, "c").verdict is MetricVerdict.REGRESSED
    assert not row_of(decision, "c").blocks
    assert "2 metrics tested together" in decision.lines[1]


def test_a_metric_measured_without_a_rule_is_shown_as_a_warning():
    decision = judge(noisy_pair(*flips(60, 6)))

    assert row_of(decision, "faithfulness").level == "warn"
    assert decision.verdict is Verdict.NO_DECISION


# Clusters


def clustered(lost_documents: int, documents: int = 20, each: int = 5):
    samples = [
        Sample(id=f"d{doc:02d}-{row}", query=f"{doc} {row}", metadata={"doc": str(doc)})
        for doc in range(documents)
        for row in range(each)
    ]
    after = [[0.0 if int(str(s.metadata["doc"])) < lost_documents else 1.0] for s in samples]
    baseline = run_of({"faithfulness": [[1.0] * 3] * len(samples)}, samples, words="before")
    candidate = run_of({"faithfulness": after}, samples, words="after")
    return (
        compare(baseline, candidate, samples, cluster="doc"),
        compare(baseline, candidate, samples),
    )


def test_clusters_stand_or_fall_together():
    by_document, by_sample = clustered(1)
    together, apart = judge(by_document, RULE), judge(by_sample, RULE)

    assert row_of(together, "faithfulness").p == pytest.approx(0.25, abs=0.001)
    assert apart.verdict is Verdict.FAILED
    assert together.verdict is Verdict.PASSED
    assert any("tested by doc (20 clusters)" in line for line in together.warnings)
    wide, narrow = (row_of(each, "faithfulness").interval for each in (together, apart))
    assert wide is not None
    assert narrow is not None
    assert wide[0] < narrow[0]


def test_few_clusters_can_hardly_fail():
    comparison, _ = clustered(0, documents=5)

    assert any("(5 clusters): it can hardly fail" in w for w in judge(comparison, RULE).warnings)


def test_fewer_clusters_than_could_fail_leave_no_decision():
    comparison, _ = clustered(0, documents=2)
    decision = judge(comparison, RULE)

    assert decision.verdict is Verdict.NO_DECISION
    assert decision.reasons == ("faithfulness: 2 clusters; 3 must break before this gate can fail",)


def test_a_cluster_name_that_no_sample_has_is_said():
    samples = samples_of(40)
    scores = {"faithfulness": [[1.0]] * 40}
    comparison = compare(
        run_of(scores, samples), run_of(scores, samples, words="after"), samples, cluster="dok"
    )

    assert "no sample names a dok: tested by sample" in judge(comparison, RULE).warnings


def test_clusters_of_one_equal_the_test_by_sample():
    samples = [Sample(id=f"q{row}", query=f"{row}", metadata={"doc": row}) for row in range(30)]
    before, after = flips(30, 4, cand=1)
    baseline = run_of({"faithfulness": columns(before)}, samples, words="before")
    candidate = run_of({"faithfulness": columns(after)}, samples, words="after")
    by_doc = judge(compare(baseline, candidate, samples, cluster="doc"), RULE)
    by_sample = judge(compare(baseline, candidate, samples), RULE)

    assert row_of(by_doc, "faithfulness").p == row_of(by_sample, "faithfulness").p


def test_a_sample_with_a_missing_run_leaves_its_cluster():
    samples = [Sample(id=f"q{r:02d}", query=f"{r}", metadata={"doc": r // 2}) for r in range(40)]
    before: list[list[float | None]] = [[1.0, 1.0, 1.0] for _ in samples]
    before[0][1] = None
    now: list[list[float]] = [[1.0] for _ in samples]
    comparison = compare(
        run_of({"faithfulness": before}, samples, words="before"),
        run_of({"faithfulness": now}, samples, words="after"),
        samples,
        cluster="doc",
    )

    assert row_of(judge(comparison, RULE), "faithfulness").n == 39


# Unscored and not applicable


def test_ragged_runs_are_tested_with_what_each_sample_has():
    samples = samples_of(60)
    before: list[list[float | None]] = [[1.0, 1.0, 1.0] for _ in samples]
    before[59][2] = None
    before[58][0] = None
    after = [[0.0 if row < 9 else 1.0] for row in range(60)]
    comparison = compare(
        run_of({"faithfulness": before}, samples, words="before"),
        run_of({"faithfulness": after}, samples, words="after"),
        samples,
    )
    row = row_of(judge(comparison, RULE), "faithfulness")

    assert row.verdict is MetricVerdict.REGRESSED
    assert row.n == 60
    assert row.unscored_baseline == 2
    assert row.unscored_reasons == {"judge timeout": 2}


@pytest.mark.parametrize("side", ["baseline", "candidate"])
def test_too_much_unscored_on_either_side_is_no_decision(side):
    samples = samples_of(60)
    whole = {"faithfulness": [[1.0]] * 60}
    holes = {"faithfulness": [[None]] * 4 + [[1.0]] * 56}
    baseline = run_of(holes if side == "baseline" else whole, samples)
    candidate = run_of(holes if side == "candidate" else whole, samples, words="after")
    decision = judge(compare(baseline, candidate, samples), RULE)

    assert decision.verdict is Verdict.NO_DECISION
    assert (
        f"faithfulness: 6.7% of the {side}'s scores are missing; 5.0% is allowed"
        in (decision.reasons[0])
    )


def test_a_few_unscored_that_could_hide_a_regression_leave_no_decision():
    samples = samples_of(100)
    baseline = run_of({"faithfulness": [[1.0] * 3] * 100}, samples, words="before")
    hiding = run_of({"faithfulness": [[None]] * 5 + [[1.0]] * 95}, samples, words="after")
    harmless = run_of({"faithfulness": [[None]] + [[1.0]] * 99}, samples, words="after")
    decision = judge(compare(baseline, hiding, samples), RULE)

    assert decision.reasons == ("faithfulness: its unscored samples could hide a regression",)
    assert decision.exit_code == 3
    assert judge(compare(baseline, harmless, samples), RULE).verdict is Verdict.PASSED


def test_an_unscored_sample_never_softens_a_regression():
    samples = samples_of(100)
    baseline = run_of({"faithfulness": [[1.0] * 3] * 100}, samples, words="before")
    scores = [[None]] + [[0.0]] * 9 + [[1.0]] * 90
    candidate = run_of({"faithfulness": scores}, samples, words="after")

    assert judge(compare(baseline, candidate, samples), RULE).verdict is Verdict.FAILED


def test_samples_a_metric_does_not_apply_to_leave_only_that_metric():
    samples = samples_of(60)
    infos = (NOISY, MetricInfo(name="correctness", needs=Needs.JUDGE))
    then = {
        "faithfulness": [[1.0] * 3] * 60,
        "correctness": [[N_A] * 3] * 20 + [[1.0] * 3] * 40,
    }
    now = {
        "faithfulness": [[0.0]] * 9 + [[1.0]] * 51,
        "correctness": [[N_A]] * 20 + [[1.0]] * 40,
    }
    comparison = compare(
        run_of(then, samples, infos=infos, words="before"),
        run_of(now, samples, infos=infos, words="after"),
        samples,
    )
    decision = judge(comparison, RULE, Rule(metric="correctness"))

    assert row_of(decision, "correctness").n == 40
    assert row_of(decision, "correctness").not_applicable == 20
    assert row_of(decision, "faithfulness").n == 60
    assert row_of(decision, "faithfulness").verdict is MetricVerdict.REGRESSED


def test_a_waived_sample_is_not_tested():
    waivers = [
        Waiver(id=f"q{row:04d}", metric="faithfulness", owner="x", reason="y", until="2026-12-31")
        for row in range(10)
    ]
    decision = judge(noisy_pair(*flips(100, 10)), RULE, waivers=waivers)

    assert decision.verdict is Verdict.PASSED
    assert row_of(decision, "faithfulness").n == 90


# Control


def control_case(
    control_rate: float, cand_rate: float, *, judge_name: str = "judge-1", seed: int = 3
):
    rng = np.random.default_rng(seed)
    samples = samples_of(200)

    def draw(rate: float, runs: int) -> list[list[float]]:
        return columns((rng.random((200, runs)) < rate).astype(float))

    baseline = run_of({"faithfulness": draw(0.98, 3)}, samples, words="before")
    control = run_of(
        {"faithfulness": draw(control_rate, 3)}, samples, words="control", judge=judge_name
    )
    candidate = run_of({"faithfulness": draw(cand_rate, 3)}, samples, words="after")
    return compare(baseline, candidate, samples), control


@pytest.mark.parametrize("seed", range(8))
def test_drift_that_a_control_shares_is_not_blamed_on_the_change(seed):
    comparison, control = control_case(0.85, 0.85, seed=seed)

    assert judge(comparison, RULE).verdict is Verdict.FAILED
    decision = judge(comparison, RULE, control=control)
    assert decision.verdict is Verdict.PASSED
    assert any("drift: the base version itself moved" in line for line in decision.warnings)


@pytest.mark.parametrize("seed", range(8))
def test_a_planted_regression_stays_red_beside_a_steady_control(seed):
    comparison, control = control_case(0.98, 0.85, seed=seed)
    decision = judge(comparison, RULE, control=control)

    assert decision.verdict is Verdict.FAILED


def test_a_steady_control_is_not_said_to_drift():
    comparison, control = control_case(0.98, 0.85)
    decision = judge(comparison, RULE, control=control)

    assert any("tested against the base version run today" in w for w in decision.warnings)
    assert not any("drift" in line for line in decision.warnings)


def test_a_control_that_is_not_comparable_is_not_used():
    comparison, control = control_case(0.85, 0.85, judge_name="judge-2")
    decision = judge(comparison, RULE, control=control)

    assert decision.verdict is Verdict.FAILED
    assert any("it is not used" in line for line in decision.warnings)


def test_a_clean_candidate_needs_no_control():
    comparison, control = control_case(0.5, 0.98)

    assert not any("today" in w for w in judge(comparison, RULE, control=control).warnings)


# Properties


def test_the_same_state_gives_the_same_verdict():
    rng = np.random.default_rng(2)
    before, after = rng.integers(0, 2, (80, 3)), rng.integers(0, 2, (80, 1))

    assert judge(noisy_pair(before, after), RULE) == judge(noisy_pair(before, after), RULE)


cells = st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=12, max_size=12)


@given(before=cells, after=cells)
@settings(max_examples=NIGHT or 40, deadline=None)
def test_a_smaller_alpha_is_never_redder(before, after):
    pair = noisy_pair([[v] for v in before], [[v] for v in after])
    codes = [judge(pair, RULE, alpha=alpha).exit_code for alpha in (0.2, 0.05, 0.001)]

    red = [code == 1 for code in codes]
    assert red == sorted(red, reverse=True)


@given(before=cells, after=cells, row=st.integers(0, 11))
@settings(max_examples=NIGHT or 40, deadline=None)
def test_a_worse_candidate_is_never_less_red(before, after, row):
    worse = list(after)
    worse[row] = 0.0
    first = judge(noisy_pair([[v] for v in before], [[v] for v in after]), RULE, alpha=0.1)
    second = judge(noisy_pair([[v] for v in before], [[v] for v in worse]), RULE, alpha=0.1)

    assert second.exit_code == 1 or first.exit_code != 1


@given(holes=st.lists(st.booleans(), min_size=20, max_size=20))
@settings(max_examples=NIGHT or 40, deadline=None)
def test_what_was_not_measured_never_passes(holes):
    samples = samples_of(20)
    after = [[None if hole else 1.0] for hole in holes]
    comparison = compare(
        run_of({"faithfulness": [[1.0]] * 20}, samples, words="before"),
        run_of({"faithfulness": after}, samples, words="after"),
        samples,
    )
    decision = judge(comparison, RULE)

    assert (decision.verdict is Verdict.PASSED) <= (sum(holes) <= 1)


def test_deterministic_metrics_are_no_part_of_the_family():
    samples = samples_of(60)
    before, after = flips(60, 1, cand=1)
    baseline = run_of(
        {"faithfulness": columns(before[:, :2]), "ndcg@10": [[1.0, 1.0]] * 60},
        samples,
        words="before",
    )
    same = [record.model_copy(update={"retrieval_hash": "r"}) for record in baseline.records]
    baseline = baseline.model_copy(update={"records": tuple(same)})
    candidate = run_of(
        {"faithfulness": columns(after), "ndcg@10": [[1.0]] * 60}, samples, words="after"
    )
    decision = judge(compare(baseline, candidate, samples), RULE, Rule(metric=EXACT.name))

    assert decision.family == ("faithfulness",)
    assert row_of(decision, "ndcg@10").exact


# Edges


def test_p_equal_to_alpha_is_red_or_improved():
    edge = 4**-3  # three of three losses among four runs each
    fell = judge(noisy_pair(*flips(40, 3, cand=1)), RULE, alpha=edge)
    rose = judge(noisy_pair(*flips(40, 0, 3, cand=1)), RULE, alpha=edge)

    assert row_of(fell, "faithfulness").verdict is MetricVerdict.REGRESSED
    assert row_of(rose, "faithfulness").verdict is MetricVerdict.IMPROVED
    assert judge(noisy_pair(*flips(40, 3, cand=1)), RULE, alpha=edge * 0.99).exit_code == 0


def test_a_drop_equal_to_the_smallest_that_counts_is_red():
    at = judge(noisy_pair(*flips(100, 5)), RULE, min_drop=0.05)
    above = judge(noisy_pair(*flips(100, 5)), RULE, min_drop=0.0501)

    assert row_of(at, "faithfulness").verdict is MetricVerdict.REGRESSED
    assert row_of(above, "faithfulness").verdict is MetricVerdict.WORSE_HERE


def test_a_large_drop_without_evidence_for_either_claim_is_not_yellow():
    row = row_of(judge(noisy_pair(*flips(40, 2, cand=1)), RULE), "faithfulness")

    assert row.change == pytest.approx(-0.05)
    assert row.p_other == pytest.approx(0.125)
    assert row.verdict is MetricVerdict.CANNOT_TELL


def test_nothing_is_held_by_samples_too_few_to_show_a_break():
    few = judge(noisy_pair(np.ones((70, 3)), np.ones((70, 1))), RULE)
    enough = judge(noisy_pair(np.ones((77, 3)), np.ones((77, 1))), RULE)

    assert row_of(few, "faithfulness").verdict is MetricVerdict.CANNOT_TELL
    assert row_of(enough, "faithfulness").verdict is MetricVerdict.HELD


def test_suspicion_is_one_in_five():
    two_of_forty = judge(noisy_pair(*flips(40, 2, cand=1), confirm=2), RULE)  # p = 1/16
    one_of_forty = judge(noisy_pair(*flips(40, 1, cand=1), confirm=2), RULE)  # p = 1/4

    assert two_of_forty.wants_runs == 2
    assert one_of_forty.wants_runs == 0
    assert judge(noisy_pair(*flips(40, 2, cand=2), confirm=2), RULE).wants_runs == 1


def test_the_other_claim_counts_at_one_in_twenty_exactly():
    one_lost = judge(noisy_pair(*flips(40, 1), fingerprint="other"), RULE)
    row = row_of(one_lost, "faithfulness")

    assert row.p_other == pytest.approx(0.05, abs=1e-15)
    assert row.verdict is MetricVerdict.WORSE_HERE


def test_the_yellow_sentence_names_the_limit_that_was_not_reached():
    small = judge(noisy_pair(*flips(40, 3, cand=1)), RULE, alpha=4**-3, min_drop=0.2)
    margin = Rule(metric="faithfulness", margin=0.04)
    close = judge(noisy_pair(*flips(100, 5)), margin, min_drop=0.05)

    assert "less than the 0.200 that counts" in row_of(small, "faithfulness").reason
    assert "beyond the margin of 0.040 is not" in row_of(close, "faithfulness").reason


def test_sentences_about_grades_are_in_grades():
    info = MetricInfo(name="faithfulness", low=1, high=5, unit="grade", needs=Needs.JUDGE)

    def reason(before: np.ndarray, after: np.ndarray) -> str:
        pair = noisy_pair(1 + 4 * before, 1 + 4 * after, info=info)
        return row_of(judge(pair, RULE), "faithfulness").reason

    assert "a drop of 0.200 or more is excluded" in reason(*flips(200, 1, 1))
    assert "less than the 0.080 that counts" in reason(*flips(1000, 12))
    assert "can see drops of 10.3 points or more" in reason(*flips(40, 1, 1, cand=1))


def test_a_control_that_lacks_samples_is_not_used():
    comparison, control = control_case(0.85, 0.85)
    few = control.model_copy(
        update={"records": tuple(r for r in control.records if r.sample_id != "q0007")}
    )
    decision = judge(comparison, RULE, control=few)

    assert decision.verdict is Verdict.FAILED
    assert any("it is not used" in line for line in decision.warnings)


def test_one_in_five_exactly_is_suspicious():
    samples = samples_of(40)
    before, after = flips(40, 1, base=4, cand=1)  # one loss among five runs
    baseline = run_of({"faithfulness": columns(before)}, samples, words="before")
    candidate = run_of({"faithfulness": columns(after)}, samples, words="after", confirm=2)
    control = run_of({"faithfulness": columns(before)}, samples, words="control")
    comparison = compare(baseline, candidate, samples)

    assert judge(comparison, RULE).wants_runs == 2
    warnings = judge(comparison, RULE, control=control).warnings
    assert any("run today" in line for line in warnings)
