"""A drop that was accepted is not red."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.core.comparison.compare import Comparison, compare
from ragate.core.text.wording import harmless
from ragate.models import (
    Acceptance,
    Decision,
    MetricInfo,
    MetricVerdict,
    Needs,
    Reads,
    Rule,
    SliceRow,
    Verdict,
)
from tests.night import NIGHT, by_night
from tests.unit.core.decision.pooling_factories import WORSE, candidate, confirmed, judged, passes
from tests.unit.core.decision_factories import (
    EXACT,
    NOISY,
    compared,
    exact_pair,
    judge,
    noisy_pair,
    row_of,
    run_of,
)
from tests.unit.core.rules.floor_factories import floor_of
from tests.unit.core.rules.slice_factories import pair, part, tagged

ACCEPTED_DROP = Acceptance(metric="faithfulness", by="mona", reason="on purpose")


ACCEPTED = Acceptance(metric="faithfulness", by="mona", reason="the new policy is shorter")


def test_a_drop_that_was_accepted_is_not_red_by_its_earlier_passes_either():
    decision = confirmed(*WORSE, accepted=(ACCEPTED_DROP,))

    assert decision.verdict is Verdict.PASSED
    assert row_of(decision, "faithfulness").accepted
    assert decision.accepted == (ACCEPTED_DROP,)


def test_what_is_red_alone_and_accepted_is_accepted_once():
    lost = range(12)
    run = candidate(passes(*[lost] * 6), earlier=3)

    decision = judged(run, accepted=(ACCEPTED_DROP,))

    assert decision.accepted == (ACCEPTED_DROP,)
    assert "over all passes" not in row_of(decision, "faithfulness").reason


def test_an_accepted_floor_is_shown_and_does_not_block():
    decision, floor = floor_of(80, accepted=[ACCEPTED])
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
    taken = ACCEPTED.amended(metric=EXACT.name)
    assert judge(comparison, rule, accepted=[taken]).verdict is Verdict.PASSED


def test_accepting_what_holds_changes_nothing():
    plain, _ = floor_of(95)
    taken, _ = floor_of(95, accepted=[ACCEPTED])
    assert taken == plain


RULE = Rule(metric="faithfulness")
SIZES = {"billing": 30, "api": 30}


def ones(rows: int, passes: int) -> np.ndarray:
    return np.ones((rows, passes))


def lost(n: int, *, of: int = 200, passes: int = 3, **options: Any) -> Comparison:
    """Return a comparison in which the first `n` samples are lost in every pass."""
    samples = tagged(SIZES, rest=of - 60)
    after = ones(of, passes)
    after[:n] = 0.0
    return pair(samples, ones(of, 3), after, **options)


def slice_of(decision: Decision, key: str) -> SliceRow:
    return next(row for row in decision.slices if row.key == key)


def test_floors_of_slices_are_in_the_sum_of_false_alarms() -> None:
    samples = tagged({"billing": 60}, rest=140)
    passes = np.ones((200, 6))
    for run in range(6):
        passes[run::5, run] = 0.0  # each run misses a fifth of the questions, of every slice
    comparison = pair(samples, passes[:, :3], passes[:, 3:])

    def said(minimum: float | None) -> bool:
        decision = judge(comparison, RULE, slices=[part(minimum=minimum)])
        return any("by floors" in line for line in decision.lines)

    assert said(0.85)
    assert not said(None)


def test_a_floor_at_what_never_failed_is_no_false_alarm() -> None:
    samples = tagged({"billing": 60}, rest=140)
    passes = np.ones((200, 6))
    for run in range(6):
        passes[60 + run :: 5, run] = 0.0  # none of the slice
    comparison = pair(samples, passes[:, :3], passes[:, 3:])

    decision = judge(comparison, RULE, slices=[part(minimum=1.0)])

    assert not any("by floors" in line for line in decision.lines)


def test_a_slice_that_fell_is_red_although_the_whole_set_is_not() -> None:
    comparison = lost(12, of=2000)

    decision = judge(comparison, RULE, slices=[part(), part("api")], max_drop=0.02)

    assert decision.metrics[0].verdict is not MetricVerdict.REGRESSED
    billing = slice_of(decision, "billing:faithfulness")
    assert billing.verdict is MetricVerdict.REGRESSED
    assert billing.blocks
    assert (billing.n, billing.samples, billing.worse) == (30, 30, 12)
    assert decision.verdict is Verdict.FAILED
    assert decision.reasons[0].startswith("billing:faithfulness fell by 0.400 (1.000 -> 0.600)")
    assert slice_of(decision, "api:faithfulness").verdict is not MetricVerdict.REGRESSED


def test_slices_that_are_shown_only_change_nothing_of_the_rest() -> None:
    comparison = lost(3)

    with_slice = judge(comparison, RULE, slices=[part(level="warn")])

    assert with_slice.amended(slices=()) == judge(comparison, RULE)
    assert len(with_slice.slices) == 1


def test_with_slices_the_whole_set_is_held_to_three_quarters_of_alpha() -> None:
    comparison = lost(5, passes=1)
    alpha = 0.04  # 0.5 ** 6 is 0.0156: five losses are proven at 0.02 only
    alone = judge(comparison, RULE, alpha=alpha, max_drop=0.001)
    beside = judge(comparison, RULE, alpha=alpha, max_drop=0.001, slices=[part()])

    assert alone.metrics[0].p == beside.metrics[0].p
    assert alone.alpha == beside.alpha == alpha
    assert f"faithfulness is tested: {harmless(alpha)} fails by chance" in alone.lines
    assert f"faithfulness is tested: {harmless(0.75 * alpha)} fails by chance" in beside.lines
    assert f"1 slice tested as well: {harmless(0.25 * alpha)} fails by it" in beside.lines


@pytest.mark.parametrize(("n", "red"), [(6, False), (7, True)])
def test_seven_losses_are_needed_for_fresh_questions_at_the_default_alpha(
    n: int, red: bool
) -> None:
    decision = judge(lost(n, of=2000), RULE, slices=[part()])

    assert slice_of(decision, "billing:faithfulness").blocks is red


def test_two_lost_samples_are_allowed_on_a_slice() -> None:
    samples = tagged({"billing": 200}, rest=2000)
    after = ones(2200, 3)
    after[:8] = 0.9  # 0.004 of the mean, proven

    decision = judge(pair(samples, ones(2200, 3), after), RULE, slices=[part()])

    assert slice_of(decision, "billing:faithfulness").verdict is MetricVerdict.WORSE_HERE


def test_each_slice_says_the_smallest_drop_that_it_can_see() -> None:
    decision = judge(lost(0), RULE, slices=[part(), part("api")])

    whole = decision.metrics[0].mde
    assert whole is not None
    for row in decision.slices:
        assert row.mde is not None
        assert row.mde > 2 * whole


def test_a_suspicious_slice_asks_for_more_passes() -> None:
    comparison = lost(6, of=2000, passes=1, confirm=2)

    decision = judge(comparison, RULE, slices=[part()], max_drop=0.02)

    assert decision.wants_runs == 2


def test_a_tiny_slice_is_shown_with_the_reason_and_never_red() -> None:
    samples = tagged({"billing": 12}, rest=400)
    after = ones(412, 3)
    after[:12] = 0.0

    decision = judge(pair(samples, ones(412, 3), after), RULE, slices=[part()], max_drop=0.1)

    (row,) = decision.slices
    assert not row.blocks
    assert row.level == "warn"
    assert row.reason.endswith("12 samples count: shown only, from 20 on a slice can fail the gate")
    assert decision.verdict is Verdict.PASSED


def test_what_is_unscored_on_a_slice_cannot_hide_a_drop() -> None:
    samples = tagged({"billing": 40, "api": 20}, rest=940)
    after: list[list[float | None]] = [[1.0] for _ in samples]
    after[:2] = [[None], [None]]
    comparison = noisy_pair([[1.0] * 3] * 1000, after, samples)

    assert judge(comparison, RULE, max_drop=0.02).verdict is Verdict.PASSED
    decision = judge(comparison, RULE, slices=[part()], max_drop=0.02)

    assert decision.verdict is Verdict.NO_DECISION
    (reason,) = decision.reasons
    assert reason.startswith("billing:faithfulness: 2 of 40 samples could not be scored")
    assert reason.endswith("at most 0 would be bad luck")
    assert slice_of(decision, "billing:faithfulness").unscored_candidate == 2


def test_a_slice_of_which_nothing_is_scored_is_no_decision() -> None:
    samples = tagged(SIZES, rest=940)
    after: list[list[float | None]] = [[1.0] for _ in samples]
    for row in range(30):
        after[row] = [None]
    comparison = noisy_pair([[1.0] * 3] * 1000, after, samples)

    decision = judge(comparison, RULE, slices=[part()])

    assert decision.verdict is Verdict.NO_DECISION
    assert slice_of(decision, "billing:faithfulness").verdict is MetricVerdict.NOT_MEASURED


@pytest.mark.parametrize("side", ["baseline", "candidate"])
def test_a_slice_with_few_values_on_both_sides_is_no_decision(side: str) -> None:
    samples = tagged(SIZES, rest=940)
    whole: list[list[float | None]] = [[1.0] * 3 for _ in samples]
    holes = [[None, None, None] if row < 11 else cells for row, cells in enumerate(whole)]
    sides = {"baseline": whole, "candidate": whole} | {side: holes}
    comparison = noisy_pair(sides["baseline"], sides["candidate"], samples)

    decision = judge(comparison, RULE, slices=[part(), part("api")])

    left = {"baseline": 30, "candidate": 30} | {side: 19}
    assert decision.verdict is Verdict.NO_DECISION
    assert (
        "billing:faithfulness: 19 samples with a value on both sides, 20 are needed (of 30 "
        f"samples the baseline has {left['baseline']}, the candidate {left['candidate']})"
    ) in decision.reasons
    assert decision.remedies == (("ragate baseline update",) if side == "baseline" else ())


def test_a_slice_of_which_few_samples_have_every_score_of_its_family_is_no_decision() -> None:
    samples = tagged({"billing": 40}, rest=400)
    other = MetricInfo(name="correctness", needs=Needs.JUDGE)
    ones_of: list[list[float | None]] = [[1.0] for _ in samples]
    lacks = {
        name: [[None] if row in gone else cells for row, cells in enumerate(ones_of)]
        for name, gone in (("faithfulness", range(19)), ("correctness", range(19, 38)))
    }
    infos = (NOISY, other)
    comparison = compared(lacks, dict.fromkeys(lacks, ones_of), samples, infos=infos)
    held = part(metrics=("faithfulness", "correctness"))
    rules = [Rule(metric=name, level="warn") for name in lacks]

    decision = judge(comparison, *rules, slices=[held])

    assert decision.verdict is Verdict.NO_DECISION
    assert decision.reasons == tuple(
        f"billing:{name}: 2 samples with every score that is tested beside it, 20 are needed"
        for name in lacks
    )


def test_a_slice_with_values_in_few_clusters_is_no_decision() -> None:
    tags = tagged({"billing": 40}, rest=400)
    samples = [one.amended(metadata={"doc": f"d{row % 8}"}) for row, one in enumerate(tags)]
    holes: list[list[float | None]] = [
        [None] if row % 8 == 7 and row < 40 else [1.0] for row in range(440)
    ]
    comparison = noisy_pair(holes, [[1.0]] * 440, samples, cluster="doc")

    decision = judge(comparison, RULE, slices=[part()])

    assert decision.verdict is Verdict.NO_DECISION
    assert "7 clusters with a value on both sides, 8 are needed (of 40" in decision.reasons[0]


def test_a_slice_whose_samples_the_baseline_does_not_know_is_no_decision() -> None:
    samples = tagged(SIZES, rest=940)
    before = run_of({"faithfulness": [[1.0] * 3] * 975}, samples[25:], words="before")
    after = run_of({"faithfulness": [[1.0] * 3] * 1000}, samples, words="after")

    decision = judge(compare(before, after, samples), RULE, slices=[part()])

    assert decision.verdict is Verdict.NO_DECISION
    assert decision.reasons[0].startswith("billing:faithfulness: 5 samples with a value on both")
    assert decision.remedies == ("ragate baseline update",)


def test_slices_alone_decide_where_every_metric_only_warns() -> None:
    warns = Rule(metric="faithfulness", level="warn")

    held = judge(lost(0), warns, slices=[part()])
    fell = judge(lost(12), warns, slices=[part()])

    assert held.verdict is Verdict.PASSED
    assert fell.verdict is Verdict.FAILED
    assert judge(lost(12), warns).verdict is Verdict.NO_DECISION


def test_slices_alone_that_are_too_small_are_no_decision_and_named() -> None:
    warns = Rule(metric="faithfulness", level="warn")
    samples = tagged({"billing": 12}, rest=100)
    comparison = pair(samples, ones(112, 3), ones(112, 3))

    decision = judge(comparison, warns, slices=[part()])

    assert decision.verdict is Verdict.NO_DECISION
    assert decision.reasons[0].endswith("and too few samples count on billing:faithfulness")


def exact(n_lost: int, n_won: int = 0) -> Comparison:
    samples = tagged({"billing": 30}, rest=170)
    before = np.full((200, 3), 0.5)
    after = before.copy()
    after[:n_lost] = 0.0
    after[n_lost : n_lost + n_won] = 1.0
    return pair(samples, before, after, infos=(EXACT,), exact=True)


ON_EXACT = part(metrics=("ndcg@10",))


def test_an_exact_metric_on_a_slice_is_red_where_random_signs_would_not_lose_as_much() -> None:
    comparison = exact(9)
    loose = Rule(metric="ndcg@10", max_drop=0.1)

    assert comparison.columns["ndcg@10"].exact
    assert judge(comparison, loose).verdict is Verdict.PASSED
    decision = judge(comparison, loose, slices=[ON_EXACT])

    assert decision.verdict is Verdict.FAILED
    assert slice_of(decision, "billing:ndcg@10").exact


@pytest.mark.parametrize(
    ("n_lost", "n_won", "verdict"),
    [(6, 0, MetricVerdict.WORSE_HERE), (10, 4, MetricVerdict.HELD)],
)
def test_few_or_balanced_changes_of_an_exact_metric_are_luck_on_a_slice(
    n_lost: int, n_won: int, verdict: MetricVerdict
) -> None:
    loose = Rule(metric="ndcg@10", max_drop=0.09)

    row = slice_of(judge(exact(n_lost, n_won), loose, slices=[ON_EXACT]), "billing:ndcg@10")

    assert (row.blocks, row.verdict) == (False, verdict)


def test_an_accepted_slice_does_not_block() -> None:
    taken = Acceptance(metric="billing:faithfulness", by="mona", reason="on purpose")

    decision = judge(lost(12, of=2000), RULE, slices=[part()], max_drop=0.02, accepted=[taken])

    row = slice_of(decision, "billing:faithfulness")
    assert (row.blocks, row.accepted) == (False, True)
    assert decision.verdict is Verdict.PASSED
    assert decision.accepted == (taken,)


def test_accepting_the_metric_accepts_no_slice_of_it() -> None:
    taken = Acceptance(metric="faithfulness", by="mona", reason="on purpose")

    decision = judge(lost(12, of=2000), RULE, slices=[part()], max_drop=0.02, accepted=[taken])

    assert decision.verdict is Verdict.FAILED


def test_a_slice_that_holds_every_sample_is_named() -> None:
    samples = tagged({"billing": 30})
    comparison = pair(samples, ones(30, 3), ones(30, 1))

    warnings = judge(comparison, RULE, slices=[part()]).warnings

    assert (
        "the slice billing holds every sample: it says nothing that the whole set does not"
        in warnings
    )


def test_a_set_without_a_baseline_shows_its_slices() -> None:
    samples = tagged({"billing": 30})
    comparison = compare(None, run_of({"faithfulness": [[1.0]] * 30}, samples), samples)

    decision = judge(comparison, RULE, slices=[part()])

    assert slice_of(decision, "billing:faithfulness").verdict is MetricVerdict.SHOWN


def floors(mean: float, names: int, **options: Any) -> Decision:
    """Decide on `names` slices of 30, each with `mean`, that are to keep 0.8."""
    slices = [part(f"s{number}", minimum=0.8, **options) for number in range(names)]
    samples = tagged({each.name: 30 for each in slices})
    passed = np.zeros((len(samples), 3))
    for start in range(0, len(samples), 30):
        passed[start : start + round(30 * mean)] = 1.0
    return judge(pair(samples, passed, passed[:, :1]), RULE, slices=slices)


def test_a_floor_of_a_slice_fails_by_evidence_alone() -> None:
    assert floors(0.70, 1).verdict is Verdict.PASSED  # a point floor would be red
    decision = floors(0.40, 1)

    assert decision.verdict is Verdict.FAILED
    assert decision.reasons[0].startswith("s0:faithfulness is 0.400, below its minimum 0.800")
    floor = decision.slices[0].floor
    assert floor is not None
    assert floor.kind == "evidence"


def test_more_floors_need_more_evidence_each() -> None:
    one, ten = floors(0.6, 1), floors(0.6, 10)

    assert one.verdict is Verdict.FAILED
    assert ten.verdict is Verdict.PASSED


def test_the_floors_of_slices_stay_red_in_few_draws_where_point_floors_are_in_most() -> None:
    rng = np.random.default_rng(5)
    draws = rng.random((400, 10, 30)) < 0.85
    point = (draws.mean(axis=2) < 0.8).any(axis=1)

    red = [decide_floors_of(row) for row in draws[: 60 if NIGHT else 6]]

    assert point.mean() > 0.8
    assert sum(red) <= len(red) // 20


def decide_floors_of(draw: np.ndarray) -> bool:
    slices = [part(f"s{number}", minimum=0.8) for number in range(len(draw))]
    samples = tagged({each.name: 30 for each in slices})
    scores = draw.reshape(-1, 1).astype(float)
    return judge(pair(samples, scores, scores), RULE, slices=slices).verdict is Verdict.FAILED


NAMES = ("billing", "api")
BITS = st.lists(st.integers(0, 1), min_size=60, max_size=60)


@given(base=st.lists(BITS, min_size=2, max_size=2), after=BITS, worse=st.integers(0, 59))
def test_a_lower_score_of_a_slices_only_metric_never_raises_its_p(
    base: list[list[int]], after: list[int], worse: int
) -> None:
    samples = tagged({"billing": 30, "api": 30})
    before = np.array(base, dtype=float).T
    higher = np.array(after, dtype=float)[:, None]
    lower = higher.copy()
    lower[worse] = 0.0

    p = [
        judge(pair(samples, before, cand), RULE, slices=[part()]).slices[0].p
        for cand in (higher, lower)
    ]

    assert p[0] is not None
    assert p[1] is not None
    assert p[1] <= p[0] + 1e-9


@given(base=st.lists(BITS, min_size=2, max_size=2), after=BITS, order=st.randoms())
def test_neither_the_order_of_slices_nor_that_of_samples_changes_a_verdict(
    base: list[list[int]], after: list[int], order: Any
) -> None:
    samples = tagged({"billing": 30, "api": 30})
    before, cand = np.array(base, dtype=float).T, np.array(after, dtype=float)[:, None]
    rows = list(range(60))
    order.shuffle(rows)
    slices = [part(name) for name in NAMES]

    straight = judge(pair(samples, before, cand), RULE, slices=slices)
    mixed = judge(
        pair([samples[row] for row in rows], before[rows], cand[rows]),
        RULE,
        slices=slices[::-1],
    )

    assert {row.key: row for row in straight.slices} == {row.key: row for row in mixed.slices}
    assert straight.verdict is mixed.verdict


@given(after=BITS)
def test_a_slice_judges_its_samples_as_if_it_were_the_whole_set(after: list[int]) -> None:
    samples = tagged({"billing": 30, "api": 30})
    before, cand = np.ones((60, 2)), np.array(after, dtype=float)[:, None]
    both = judge(pair(samples, before, cand), RULE, slices=[part()], max_drop=0.01)
    alone = judge(pair(samples[:30], before[:30], cand[:30]), RULE, max_drop=0.01)

    of_slice, of_set = both.slices[0], alone.metrics[0]
    for key in ("n", "baseline", "candidate", "change", "worse", "better"):
        assert getattr(of_slice, key) == getattr(of_set, key)
    assert of_slice.p is not None
    assert of_set.p is not None
    # Both are p of one test; with other draws where they are not enumerated.
    assert of_slice.p == pytest.approx(of_set.p, abs=0.03)


@by_night
def test_a_change_that_changes_nothing_is_seldom_red_with_slices() -> None:
    rng, red, many = np.random.default_rng(3), 0, 60
    slices = [part(name) for name in ("s0", "s1", "s2", "s3")]
    samples = tagged({each.name: 25 for each in slices}, rest=20)
    for _ in range(many):
        chances = np.where(rng.random(120) < 0.3, 0.7, 0.97)[:, None]
        before, after = (rng.random((120, 3)) < chances for _ in range(2))
        decision = judge(pair(samples, before, after), RULE, slices=slices)
        red += decision.verdict is Verdict.FAILED

    assert red <= many // 15


def test_metrics_with_and_without_noise_stand_on_one_slice() -> None:
    infos = (MetricInfo(name="judged", needs=Needs.JUDGE), EXACT)
    samples = tagged(SIZES, rest=340)
    before, after = np.ones((400, 3, 2)), np.ones((400, 3, 2))
    after[:10] = 0.0
    rng = np.random.default_rng(1)
    before[:, :, 0] = rng.random((400, 3)) < 0.9
    after[10:, :, 0] = rng.random((390, 3)) < 0.9
    comparison = pair(samples, before, after, infos=infos, exact=True)
    rules = [Rule(metric="judged"), Rule(metric="ndcg@10", max_drop=0.2)]

    decision = judge(comparison, *rules, slices=[part(metrics=("judged", "ndcg@10"))])

    assert [row.exact for row in decision.slices] == [False, True]
    assert all(row.blocks for row in decision.slices)
    assert comparison.columns["ndcg@10"].info.reads is Reads.RETRIEVAL
