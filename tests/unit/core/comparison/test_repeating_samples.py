"""Systems that repeat: what is exact, which samples count as changed, what is said of the rest."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import pytest

from benchmarks.repeating import flips, rewrites
from ragate.core.comparison.compare import Comparison, compare
from ragate.models import (
    Decision,
    Failure,
    MetricInfo,
    MetricVerdict,
    Needs,
    Reads,
    Rule,
    Run,
    Verdict,
)
from tests.unit.core.decision_factories import (
    EXACT,
    judge,
    row_of,
    run_of,
    samples_of,
)

ANSWERED = MetricInfo(name="number_recall", reads=Reads.ANSWER)
RULE = Rule(metric="number_recall")
BOTH = ("retrieval", "answer")
BM25 = (Reads.RETRIEVAL, Reads.ANSWER)
DENSE: tuple[Reads, ...] = ()


def side(scores: Sequence[Sequence[float]], *, info: MetricInfo = ANSWERED, **options: Any) -> Run:
    """Return a run of an undeclared system whose equal scores are equal outputs."""
    samples = samples_of(len(scores))
    defaults: dict[str, Any] = {"infos": (info,), "deterministic": ()}
    run = run_of({info.name: [list(row) for row in scores]}, samples, **(defaults | options))
    rows = {sample.id: row for sample, row in zip(samples, scores, strict=True)}
    records = [
        record.model_copy(
            update={
                "retrieval_hash": f"{rows[record.sample_id][record.run]}",
                "output_hash": f"{rows[record.sample_id][record.run]}",
            }
        )
        for record in run.records
    ]
    return run.model_copy(update={"records": tuple(records)})


def pair_of(
    before: Sequence[float],
    after: Sequence[float],
    *,
    passes: int = 3,
    repeats: Sequence[str] = BOTH,
    jitter: Mapping[int, Sequence[float]] = {},
    shaky: Mapping[int, Sequence[float]] = {},
    **options: Any,
) -> Comparison:
    """Compare three equal baseline passes with equal candidate passes.

    Args:
        jitter, shaky: By row, the scores of the candidate's and of the baseline's passes.
    """
    old = [list(shaky.get(row, [value] * 3)) for row, value in enumerate(before)]
    new = [list(jitter.get(row, [value] * passes)) for row, value in enumerate(after)]
    samples = samples_of(len(before))
    return compare(side(old), side(new, **options), samples, repeats=repeats)


def declared(comparison: Comparison, *rules: Rule, **options: Any) -> Decision:
    return judge(comparison, *(rules or (RULE,)), repeats=BOTH, **options)


@pytest.mark.parametrize(
    ("baseline", "candidate", "exact"),
    [(BM25, BM25, True), (BM25, DENSE, False), (DENSE, BM25, False), (DENSE, DENSE, False)],
)
def test_a_metric_is_exact_where_both_systems_declare_its_input(baseline, candidate, exact):
    before = side([[1.0, 1.0]] * 5, info=EXACT, deterministic=baseline)
    after = side([[1.0]] * 5, info=EXACT, deterministic=candidate)

    assert compare(before, after, samples_of(5)).columns[EXACT.name].exact is exact


def test_the_policy_declares_for_both_sides():
    assert pair_of([1.0] * 5, [1.0] * 5).columns["number_recall"].exact
    assert not pair_of([1.0] * 5, [1.0] * 5, repeats=()).columns["number_recall"].exact
    only = pair_of([1.0] * 5, [1.0] * 5, repeats=["retrieval"])
    assert not only.columns["number_recall"].exact


@pytest.mark.parametrize("needs", [Needs.JUDGE, Needs.EMBEDDINGS])
def test_what_has_noise_of_its_own_stays_noisy(needs):
    info = ANSWERED.model_copy(update={"needs": needs})
    before, after = side([[1.0] * 3] * 5, info=info), side([[1.0]] * 5, info=info)

    assert not compare(before, after, samples_of(5), repeats=BOTH).columns[info.name].exact


def test_one_recorded_run_shows_nothing_of_repeating():
    before, after = side([[1.0]] * 5), side([[1.0]] * 5)

    assert not compare(before, after, samples_of(5), repeats=BOTH).columns["number_recall"].exact


@pytest.mark.parametrize("n", [16, 100, 1000])
def test_one_full_loss_that_stands_alone_is_red_on_every_set(n):
    decision = declared(pair_of([1.0] * n, [0.0] + [1.0] * (n - 1)))

    assert decision.verdict is Verdict.FAILED
    assert decision.wants_runs == 0


def test_four_wrong_numbers_in_sixteen_answers_are_red_where_it_is_declared():
    before, after = [1.0] * 16, [0.5] * 4 + [1.0] * 12

    assert declared(pair_of(before, after)).verdict is Verdict.FAILED
    undeclared = judge(pair_of(before, after, repeats=()), RULE)
    assert undeclared.verdict is not Verdict.FAILED
    assert any('`[policy] repeats = ["answer"]`' in said for said in undeclared.warnings)


def test_a_must_pass_sample_that_varied_is_not_said_to_never_fail_by_chance():
    shaky = {0: [1.0, 0.0, 1.0], 1: [1.0, 1.0, 0.9]}
    samples = samples_of(20, must_pass=True)
    before = side([shaky.get(row, [1.0] * 3) for row in range(20)])
    comparison = compare(before, side([[1.0] * 3] * 20), samples, repeats=BOTH)

    rows = declared(comparison, RULE.model_copy(update={"pass_at": 0.5})).must_pass

    f = 1.5 / 5  # one of the four tries of the two that vary, each beside two that passed
    assert [row.false_red for row in rows[:2]] == [pytest.approx(3 * f**2 * (1 - f) + f**3)] * 2
    assert {row.false_red for row in rows[2:]} == {0.0}


def test_beyond_four_changed_scores_the_loss_stands_out_from_random_signs():
    gains = [0.6, 0.4, 0.6, 0.4]
    half = pair_of([0.5] * 20, [0.0, 0.0, *gains, *[0.5] * 14])
    all_down = pair_of([0.5] * 20, [0.0] * 7 + [0.5] * 13)

    row = row_of(declared(half), "number_recall")
    assert row.verdict is MetricVerdict.WORSE_HERE
    assert "4 of 6 changed scores fell, random signs do as much" in row.reason
    assert declared(half).verdict is Verdict.PASSED
    assert declared(all_down).verdict is Verdict.FAILED


def test_on_this_set_a_loss_is_certain():
    comparison = pair_of([0.5] * 20, [0.0, 0.0, 0.6, 0.4, 0.6, 0.4, *[0.5] * 14])

    assert declared(comparison, claim="this-set").verdict is Verdict.FAILED


def test_a_small_loss_that_signs_explain_is_held():
    after = [0.4, 0.4, 0.4, 0.6, 0.6, 0.4, 0.38, 0.5, *[0.5] * 192]
    row = row_of(declared(pair_of([0.5] * 200, after), Rule(metric="number_recall")), RULE.metric)

    assert row.verdict is MetricVerdict.HELD


def test_the_metrics_that_gate_share_the_test_of_signs():
    """Seven losses of seven are proven for one metric, and for two that move together."""
    names = ("number_recall", "exact_match")
    infos = [ANSWERED.model_copy(update={"name": name}) for name in names]
    scores = {name: [[0.5]] * 20 for name in names}
    lost = {name: [[0.3]] * 7 + [[0.5]] * 13 for name in names}
    samples = samples_of(20)
    twice = {name: [row * 2 for row in rows] for name, rows in scores.items()}
    before = run_of(twice, samples, infos=infos, same_outputs=True)
    after = run_of(lost, samples, infos=infos, words="other", same_outputs=True)
    rules = [Rule(metric=name) for name in names]

    assert declared(compare(before, after, samples, repeats=BOTH), *rules).exit_code == 1


def test_whole_clusters_change_their_sign():
    samples = [
        sample.model_copy(update={"metadata": {"doc": str(row // 7)}})
        for row, sample in enumerate(samples_of(21))
    ]
    before, after = side([[0.5] * 3] * 21), side([[0.3]] * 7 + [[0.5]] * 14)
    comparison = compare(before, after, samples, cluster="doc", repeats=BOTH)

    assert declared(comparison).verdict is Verdict.PASSED


def test_a_candidate_that_no_longer_repeats_is_yellow_and_named():
    decision = declared(pair_of([1.0] * 40, [1.0] * 40, jitter={3: [0.9, 1.0, 0.8]}))

    row = row_of(decision, "number_recall")
    assert decision.verdict is Verdict.PASSED
    assert row.verdict is MetricVerdict.CANNOT_TELL
    assert "1 sample no longer repeated: q0003" in row.reason
    assert any("the candidate no longer repeats" in said for said in decision.warnings)


def test_jitter_does_not_soften_what_the_other_samples_lost():
    after = [0.0, *[1.0] * 39]

    assert declared(pair_of([1.0] * 40, after, jitter={3: [0.9, 1.0, 0.8]})).exit_code == 1


def test_jitter_in_every_sample_is_tested_as_noisy_and_yellow():
    jitter = {row: [0.5, 0.6 - 0.2 * (row % 2), 0.5] for row in range(40)}
    decision = declared(pair_of([0.5] * 40, [0.5] * 40, jitter=jitter))

    assert row_of(decision, "number_recall").verdict is MetricVerdict.CANNOT_TELL
    assert not row_of(decision, "number_recall").exact


def test_samples_that_vary_in_the_baseline_are_named_and_no_reason_for_a_red():
    decision = declared(pair_of([1.0] * 100, [1.0] * 100, shaky={7: [1.0, 0.0, 1.0]}))

    assert decision.verdict is Verdict.PASSED
    assert row_of(decision, "number_recall").exact
    assert any("1 sample vary between the baseline's runs: q0007" in w for w in decision.warnings)


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


def test_a_control_is_not_said_to_be_tested_against_where_the_samples_that_vary_are_all():
    jitter = {row: [0.0, 0.1, 0.0] for row in range(20)}
    comparison = pair_of([1.0] * 40, [1.0] * 40, jitter=jitter)

    decision = declared(comparison, control=comparison.baseline_run)

    assert decision.verdict is Verdict.FAILED
    assert not any("tested against the base version" in said for said in decision.warnings)


def test_a_declaration_that_the_baseline_contradicts_is_not_kept():
    shaky = {row: [1.0, 0.0, 1.0] for row in range(80)}
    comparison = pair_of([1.0] * 300, [1.0] * 300, shaky=shaky)

    assert not comparison.columns["number_recall"].exact
    assert any("so many that all of it is tested" in w for w in declared(comparison).warnings)


def test_a_pass_that_a_provider_failed_is_no_variation():
    comparison = pair_of([1.0] * 40, [1.0] * 40)
    failed = comparison.candidate_run.records[3]
    lost = failed.output.model_copy(update={"error": Failure(kind="provider", message="429")})
    records = [
        record.model_copy(update={"output_hash": "failed", "output": lost})
        if record is failed
        else record
        for record in comparison.candidate_run.records
    ]
    candidate = comparison.candidate_run.model_copy(update={"records": tuple(records)})
    again = compare(comparison.baseline_run, candidate, samples_of(40), repeats=BOTH)

    assert not again.repetition.by_part[Reads.ANSWER].varies.any()


def test_changed_samples_with_too_few_passes_are_said_to_be_taken_at_the_policys_word():
    once = declared(pair_of([1.0] * 16, [0.0] + [1.0] * 15, passes=1))
    thrice = declared(pair_of([1.0] * 16, [0.0] + [1.0] * 15))

    assert once.verdict is Verdict.FAILED
    assert any("ran fewer than 3 times (q0000)" in said for said in once.warnings)
    assert not any("ran fewer" in said for said in thrice.warnings)


def test_an_unscored_sample_could_hide_the_one_loss_that_is_red():
    samples = samples_of(40)
    before = side([[1.0] * 3] * 40)
    after = run_of(
        {"number_recall": [[None]] + [[1.0]] * 39}, samples, infos=(ANSWERED,), deterministic=()
    )
    decision = declared(compare(before, after, samples, repeats=BOTH))

    assert decision.verdict is Verdict.NO_DECISION


def test_the_key_is_not_named_where_it_would_change_nothing():
    noisy = pair_of([1.0] * 16, [1.0] * 16, repeats=(), shaky={2: [1.0, 0.0, 1.0]})
    assert not any("[policy] repeats" in said for said in judge(noisy, RULE).warnings)
    same = pair_of([1.0] * 16, [1.0] * 16)
    assert not any("[policy] repeats" in said for said in declared(same).warnings)


def test_an_unchanged_output_of_a_declared_system_is_unaffected():
    comparison = pair_of([1.0] * 16, [0.0] + [1.0] * 15)

    assert comparison.affected == 1


def share_of_red(simulate: Any, draws: int, seed: int) -> float:
    rng = np.random.default_rng(seed)
    return sum(simulate(rng).verdict is Verdict.FAILED for _ in range(draws)) / draws


def test_an_unchanged_system_that_flips_in_three_of_a_hundred_runs_is_rarely_red():
    assert share_of_red(partial(flips, n=300, rate=0.03), 150, seed=5) <= 0.02


@pytest.mark.parametrize(("n", "share"), [(16, 0.3), (50, 0.1), (100, 0.03), (300, 0.1)])
def test_a_neutral_rewrite_is_rarely_red(n, share):
    assert share_of_red(partial(rewrites, n=n, share=share), 300, seed=5) <= 0.03


def test_one_loss_among_reworded_answers_is_seen_on_a_small_set_only():
    assert share_of_red(partial(rewrites, n=16, share=0.1, lost=1), 100, seed=5) >= 0.85
    assert share_of_red(partial(rewrites, n=100, share=0.1, lost=1), 100, seed=5) <= 0.15
