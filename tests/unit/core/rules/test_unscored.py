"""What a candidate could not be scored on."""

from __future__ import annotations

import datetime

import pytest
from scipy import stats

from ragate.core.comparison.compare import Comparison, compare
from ragate.core.rules.metric_case import read_cases
from ragate.core.rules.unscored import ERROR, lost_scores, most_lost
from ragate.models import Decision, MetricInfo, Needs, Rule, Verdict, Waiver
from tests.unit.core.decision_factories import (
    TODAY,
    compared,
    judge,
    noisy_pair,
    run_of,
    samples_of,
)

RULE = Rule(metric="faithfulness")


def losing(n: int, *, before: int, after: int, value: float = 1.0) -> Comparison:
    """Compare three runs of `n` samples of which one lost some with a candidate that did."""
    recorded = [[None, 1.0, 1.0]] * before + [[1.0] * 3] * (n - before)
    scored = [[None]] * after + [[value]] * (n - after)
    return noisy_pair(recorded, scored)


@pytest.mark.parametrize(("before", "most"), [(0, 2), (6, 7), (24, 17)])
def test_a_candidate_may_lose_what_the_baseline_makes_likely(before: int, most: int):
    fine, unusual = (losing(200, before=before, after=lost) for lost in (most, most + 1))
    allows = RULE.amended(max_drop=0.1)  # so what was lost, at its worst, is no reason

    assert judge(fine, allows, max_unscored=0.05).verdict is Verdict.PASSED
    decision = judge(unusual, allows, max_unscored=0.05)
    assert decision.verdict is Verdict.NO_DECISION
    assert f"at most {most} would be bad luck" in decision.reasons[0] or most == 17


def test_runs_that_are_equal_asked_as_many_questions():
    samples = samples_of(200)
    stored = [[None]] * 2 + [[1.0]] * 198
    cell = [[1.0]] * 200
    once = run_of({"faithfulness": cell}, samples, words="before")
    thrice = once.amended(manifest=once.manifest.amended(runs=3, identical=2))
    after = run_of({"faithfulness": stored}, samples, words="after")
    most = []
    for baseline in (once, thrice):
        pair = compare(baseline, after, samples)
        (case,) = read_cases([RULE], pair, [], TODAY)
        most.append(lost_scores(case).most)

    assert most == [4, 2]


def test_the_bound_of_several_metrics_is_one():
    losses = [[None]] * 3 + [[1.0]] * 197
    names = [f"m{number}" for number in range(4)]
    rules = [Rule(metric=name, max_drop=0.1) for name in names]
    infos = [MetricInfo(name=name, needs=Needs.JUDGE) for name in names]

    def decided(several: int) -> Verdict:
        before = {name: [[1.0] * 3] * 200 for name in names[:several]}
        after = dict.fromkeys(names[:several], losses)
        pair = compared(before, after, samples_of(200), infos=infos)
        return judge(pair, *rules[:several]).verdict

    assert decided(1) is Verdict.NO_DECISION  # 2 may be lost
    assert decided(4) is Verdict.PASSED  # 3 may


def wrong_and_lost(wrong: int, lost: int, *, passes: int = 3, names: int = 1) -> Decision:
    """Decide on 200 samples of a system without noise, each metric alike, after its last look."""
    row = [[0.0] * passes] * wrong + [[None] * passes] * lost
    row += [[1.0] * passes] * (200 - wrong - lost)
    metrics = [f"m{number}" for number in range(names)]
    infos = [MetricInfo(name=name, needs=Needs.JUDGE) for name in metrics]
    pair = compared(
        {name: [[1.0] * 3] * 200 for name in metrics},
        dict.fromkeys(metrics, row),
        samples_of(200),
        infos=infos,
        fingerprint="other",
        confirm=2,
    )
    return judge(pair, *(Rule(metric=name) for name in metrics))


@pytest.mark.parametrize("names", [1, 12])
@pytest.mark.parametrize("wrong", [0, 1, 3, 4])
def test_nothing_passes_by_failing_that_fails_by_being_wrong(wrong: int, names: int):
    lost = 5 - wrong  # 5 wrong ones of 200 are red, 4 are not
    first = wrong_and_lost(wrong, lost, passes=1, names=names)
    last = wrong_and_lost(wrong, lost, names=names) if first.wants_runs else first

    assert last.verdict is Verdict.NO_DECISION


def test_losses_that_the_baseline_had_as_well_are_not_counted_as_wrong():
    before = [[None] * 3] * 4 + [[1.0] * 3] * 196
    same, others = ([[None] * 3] * 4 + [[1.0] * 3] * 196, [[1.0] * 3] * 196 + [[None] * 3] * 4)

    for after in (same, others):
        assert judge(noisy_pair(before, after, fingerprint="other"), RULE).verdict is Verdict.PASSED


def test_a_pass_that_lost_a_few_is_held_against_as_many_wrong_ones():
    lost = [[None, 1.0, 1.0]] * 3 + [[1.0, None, 1.0]] * 3 + [[1.0, 1.0, None]] * 3

    assert judge(noisy_pair([[1.0] * 3] * 200, [*lost, *[[1.0] * 3] * 191])).verdict is not (
        Verdict.PASSED
    )


def test_a_floor_counts_what_was_lost_beyond_the_baseline_at_its_worst():
    floor = Rule(metric="faithfulness", minimum=0.985, max_drop=0.2)

    def decided(cell: float | None) -> Verdict:
        return judge(noisy_pair([[1.0] * 3] * 100, [[cell]] * 2 + [[1.0]] * 98), floor).verdict

    assert decided(0.0) is Verdict.FAILED
    assert decided(None) is Verdict.NO_DECISION


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

    assert lost_scores(case).count == 3
    assert lost_scores(case).hides == pytest.approx(7 / 300)


def test_waived_and_unaffected_samples_are_not_counted():
    day = TODAY + datetime.timedelta(days=1)
    waiver = Waiver(id="q0000", metric="faithfulness", owner="me", reason="known", until=day)
    pair = losing(50, before=0, after=3)
    (case,) = read_cases([RULE], pair, [waiver], TODAY)

    lost = lost_scores(case)
    assert (lost.count, lost.of) == (2, 49)
    assert lost.usual == (0, 50 * pair.baseline.repeats)


@pytest.mark.parametrize("n", [1, 20, 200, 2_000])
@pytest.mark.parametrize("passes", [1, 3])
@pytest.mark.parametrize("share", [0.0, 0.01, 0.04, 1.0])
def test_the_bound_is_that_of_a_beta_binomial_distribution(n: int, passes: int, share: float):
    runs = n * passes
    lost = round(share * runs)
    law = stats.betabinom(n, lost + 0.5, runs - lost + 0.5)

    assert most_lost(n, lost=lost, runs=runs) == law.ppf(1 - ERROR)
