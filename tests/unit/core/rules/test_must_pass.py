"""Must-pass samples: who is asked, marks met exactly, and the false-red rate that is printed."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import pytest
from scipy import stats

from ragate.core.comparison.compare import compare
from ragate.core.statistics.must_pass_odds import steadiness
from ragate.models import Decision, Direction, MetricInfo, Needs, PassRule, Reads, Rule, Verdict
from tests.unit.core.decision_factories import (
    N_A,
    NOISY,
    compared,
    judge,
    noisy_pair,
    run_of,
    samples_of,
)
from tests.unit.core.rules.floor_factories import must_pass

RULE = Rule(metric="faithfulness", pass_at=0.75)


OTHER = MetricInfo(name="correctness", needs=Needs.JUDGE)


def decided(
    before: Sequence[Sequence[float | None]],
    after: Sequence[Sequence[float | None]],
    *rules: Rule,
    info: MetricInfo = NOISY,
) -> Decision:
    """Decide on must-pass samples, of which another metric is measured as well."""
    samples = samples_of(len(before), must_pass=True)
    infos = (info, OTHER)
    fine = {"correctness": [[1.0] * len(before[0])] * len(before)}
    now = {"correctness": [[1.0] * len(after[0])] * len(before)}
    pair = compared(
        {"faithfulness": before, **fine}, {"faithfulness": after, **now}, samples, infos=infos
    )
    return judge(pair, *rules)


def false_red(passed: Sequence[Sequence[bool]]) -> float:
    """Return what a second implementation says of three fails in three tries."""
    steady = steadiness(np.array(passed, dtype=bool))
    assert steady is not None
    law = stats.betabinom(3, steady.b, steady.a + steady.runs)
    return float(law.sf(2))


def test_only_gated_metrics_with_a_pass_mark_are_asked():
    rules = (
        RULE.amended(level="warn"),
        Rule(metric="correctness"),
        Rule(metric="p95", pass_at=0.5),
    )
    steady = [[1.0] * 3] * 20

    assert decided(steady, [[0.0] * 3] * 20, *rules).must_pass == ()
    assert len(decided(steady, steady, RULE, Rule(metric="correctness")).must_pass) == 20


def test_where_only_the_share_that_passes_gates_must_pass_samples_are_asked_too():
    rule = RULE.amended(level="warn", pass_rate=PassRule())
    steady = [[1.0] * 3] * 20

    assert len(decided(steady, steady, rule, Rule(metric="correctness")).must_pass) == 20


@pytest.mark.parametrize(
    ("direction", "at", "beyond"), [(Direction.HIGHER, 0.75, 0.74), (Direction.LOWER, 0.75, 0.76)]
)
def test_a_mark_that_is_met_exactly_is_met(direction, at, beyond):
    info = NOISY.amended(direction=direction)
    rows = decided([[at] * 3] * 10, [[at] * 3, *[[beyond] * 3] * 9], RULE, info=info).must_pass

    assert [row.met for row in rows] == [True] + [False] * 9
    assert all(row.eligible for row in rows)
    assert rows[0].false_red == pytest.approx(false_red([[True] * 3] * 10))


def test_two_baseline_runs_give_a_false_red_rate():
    before: Sequence[Sequence[float | None]] = [[1.0, 0.0], *[[1.0, 1.0]] * 9]
    row = decided(before, [[1.0]] * 10, RULE).must_pass[1]

    assert row.false_red == pytest.approx(false_red([[True, False], *[[True, True]] * 9]))


@pytest.mark.parametrize(("direction", "good"), [(Direction.HIGHER, 1.0), (Direction.LOWER, 0.0)])
def test_a_try_that_was_not_scored_neither_failed_nor_passed(direction, good):
    info = NOISY.amended(direction=direction)
    before: Sequence[Sequence[float | None]] = [[good, None, good], *[[good] * 3] * 9]
    row = decided(before, [[good]] * 10, RULE, info=info).must_pass[1]

    assert row.false_red == pytest.approx(false_red([[True] * 3] * 9))


@pytest.mark.parametrize(
    ("tries", "code"),
    [
        ([0.0, 0.0, 0.0], 1),
        ([0.0, 0.0, None], 3),
        ([0.0, None, None], 3),
        ([1.0, 0.0, None], 0),
    ],
)
def test_what_was_not_scored_neither_fails_nor_saves_a_sample(tries, code):
    steady: Sequence[Sequence[float | None]] = [[1.0] * 3] * 40
    now: Sequence[Sequence[float | None]] = [tries, *[[1.0] * 3] * 39]

    assert decided(steady, now, RULE, Rule(metric="correctness")).exit_code == code


def test_three_of_three_failed_tries_are_red():
    decision = must_pass([1.0, 1.0, 1.0], [0.0, 0.0, 0.0])

    assert decision.verdict is Verdict.FAILED
    assert decision.reasons[0] == (
        "must-pass vat: faithfulness missed its pass mark 0.800 in 3 of 3 tries"
    )
    assert decision.wants_tries == 0


def test_tries_are_wanted_until_it_is_settled_but_not_of_a_deterministic_system():
    assert must_pass([1.0] * 3, [1.0]).wants_tries == 0
    assert must_pass([1.0] * 3, [0.0]).wants_tries == 1
    assert must_pass([1.0] * 3, [0.0, 1.0]).wants_tries == 0
    assert must_pass([1.0] * 3, [0.0, 0.0]).wants_tries == 1
    declared = (Reads.ANSWER, Reads.RETRIEVAL)
    assert must_pass([1.0] * 3, [0.0], deterministic=declared).wants_tries == 0


def test_a_sample_that_failed_before_is_shown_and_does_not_block():
    decision = must_pass([1.0, 1.0, 0.0], [0.0, 0.0, 0.0])

    assert decision.verdict is Verdict.PASSED
    assert not decision.must_pass[0].eligible
    assert any("failed in the baseline as well" in line for line in decision.warnings)


def test_a_new_must_pass_sample_counts():
    decision = must_pass(None, [0.0, 0.0, 0.0])

    assert decision.verdict is Verdict.FAILED
    assert decision.must_pass[0].false_red is None


def test_a_must_pass_sample_without_a_label_is_not_judged_on_that_metric():
    assert must_pass(None, [N_A, N_A, N_A]).must_pass == ()


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


def test_what_the_questions_that_must_pass_add_to_false_alarms_is_said():
    rng = np.random.default_rng(1)
    before = (rng.random((40, 3)) < 0.95).astype(float).tolist()
    decision = decided(before, [[1.0]] * 40, RULE)
    (line,) = [line for line in decision.lines if "must pass" in line]

    assert line.startswith("faithfulness is tested: at most 1 change in 50 that leaves")
    assert re.search(r"about 1 in \d+ by the 3[0-9] questions that must pass", line)


def recorded(runs: int, failed: int, tries: list[float]):
    """Decide on one question with a record on main, of which the last run passed."""
    samples = samples_of(40)
    samples[0] = samples[0].amended(must_pass=True)
    steady = [[1.0] * 3] * 40
    pair = noisy_pair(steady, [tries, *[[1.0] * len(tries)] * 39], samples)
    passed = [number >= failed for number in range(runs - 3)]
    record = {("q0000", "faithfulness"): passed}
    return judge(pair, RULE.amended(max_drop=0.5), record=record)


def test_a_question_that_flips_by_itself_blocks_only_where_its_misses_are_too_rare():
    often, always = (recorded(17, 3, tries) for tries in ([0.0] * 3, [0.0] * 12))

    assert often.verdict is Verdict.PASSED
    assert often.wants_tries == 1
    assert any("failed 3 of 3 tries, and flips by itself in 3 of 17" in w for w in often.warnings)
    assert always.verdict is Verdict.FAILED
    assert "it flips by itself in 3 of 17" in always.reasons[0]
    assert recorded(17, 3, [0.0, 1.0]).wants_tries == 0


@pytest.mark.parametrize(("runs", "code"), [(29, 0), (30, 1)])
def test_after_thirty_runs_without_a_failure_two_misses_are_enough(runs: int, code: int):
    assert recorded(runs, 0, [0.0, 1.0, 0.0]).exit_code == code
