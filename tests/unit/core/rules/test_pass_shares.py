"""Pass rates: shown beside the mean of a metric with a mark, held where a rule says so."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from ragate.core.comparison.compare import Comparison, compare
from ragate.models import (
    Acceptance,
    Decision,
    MetricInfo,
    MetricRow,
    MetricVerdict,
    Needs,
    PassRule,
    PassShare,
    Rule,
    Verdict,
)
from tests.unit.core.decision_factories import (
    EXACT,
    compared,
    exact_pair,
    judge,
    noisy_pair,
    row_of,
    run_of,
)
from tests.unit.core.decision_factories import samples_of as plain_samples
from tests.unit.core.rules.slice_factories import pair, part, tagged

GRADE = MetricInfo(name="faithfulness", needs=Needs.JUDGE, low=1, high=5, unit="grade")
NAME = "faithfulness.pass"


def rule(**fields: Any) -> Rule:
    return Rule(metric="faithfulness", pass_at=4.0, **fields)


def held(**fields: Any) -> Rule:
    return rule(pass_rate=PassRule(**fields))


def slipped() -> Comparison:
    """Return grades of which a tenth fell from 4 to 3, and as many of the failing rose from 1 to 2.

    Over the whole scale that is no drop at all.
    """
    before = np.full((200, 3), 4.0)
    before[100:] = 1.0
    after = before.copy()
    after[:20] = 3.0
    after[100:120] = 2.0
    return noisy_pair(before, after, info=GRADE)


def share_of(row: MetricRow) -> PassShare:
    assert row.pass_share is not None
    return row.pass_share


def test_the_share_that_passes_stands_beside_the_mean_with_wilsons_interval() -> None:
    before = np.full((40, 1), 4.0)
    after = before.copy()
    after[:12] = 3.5

    share = share_of(row_of(judge(noisy_pair(before, after, info=GRADE), rule()), "faithfulness"))

    wilson = stats.binomtest(28, 40).proportion_ci(0.95, method="wilson")
    assert (share.mark, share.n, share.baseline, share.candidate) == (4.0, 40, 1.0, 0.7)
    assert share.interval == pytest.approx((wilson.low, wilson.high), abs=1e-9)


def test_a_metric_without_a_pass_mark_has_no_share() -> None:
    assert judge(slipped(), Rule(metric="faithfulness")).metrics[0].pass_share is None


def test_a_mark_alone_adds_nothing_to_what_is_gated() -> None:
    marked, plain = judge(slipped(), rule()), judge(slipped(), Rule(metric="faithfulness"))

    assert [row.amended(pass_share=None) for row in marked.metrics] == list(plain.metrics)
    assert marked.amended(metrics=()) == plain.amended(metrics=())


def test_a_pass_rate_that_fell_is_red_although_the_mean_held() -> None:
    decision = judge(slipped(), held())

    assert row_of(decision, "faithfulness").verdict is not MetricVerdict.REGRESSED
    share = row_of(decision, NAME)
    assert (share.verdict, share.blocks) == (MetricVerdict.REGRESSED, True)
    assert (share.baseline, share.candidate, share.worse) == (0.5, 0.4, 20)
    assert share.rated == "faithfulness"
    assert decision.family == ("faithfulness", NAME)
    assert decision.reasons[0].startswith("faithfulness.pass fell by 0.100 (0.500 -> 0.400)")


@pytest.mark.parametrize(
    ("fields", "verdict"),
    [
        ({"minimum": 0.45}, Verdict.FAILED),
        ({"minimum": 0.40}, Verdict.PASSED),
        ({"minimum": 0.45, "level": "warn"}, Verdict.PASSED),
    ],
)
def test_a_floor_holds_the_share_that_passes(fields: dict[str, Any], verdict: Verdict) -> None:
    decision = judge(slipped(), held(max_drop=0.5, **fields))

    assert decision.verdict is verdict
    if verdict is Verdict.FAILED:
        assert decision.reasons == ("faithfulness.pass is 0.400, below its minimum 0.450",)


def test_a_floor_by_evidence_leaves_room_for_luck() -> None:
    decision = judge(slipped(), held(max_drop=0.5, minimum=0.42), floor="evidence")

    assert decision.verdict is Verdict.PASSED


def test_the_share_can_gate_where_the_mean_only_warns() -> None:
    decision = judge(slipped(), held().amended(level="warn"))

    assert decision.verdict is Verdict.FAILED
    assert decision.family == (NAME,)


def test_a_share_without_noise_is_judged_as_such_a_metric_is() -> None:
    before = [0.6] * 40
    after = [0.4] * 3 + [0.6] * 34 + [0.8] * 3
    exact = Rule(metric="ndcg@10", pass_at=0.5, pass_rate=PassRule())

    decision = judge(exact_pair(before, after), exact)

    assert EXACT.name == "ndcg@10"
    share = row_of(decision, "ndcg@10.pass")
    assert (share.exact, share.worse, share.blocks) == (True, 3, True)
    assert not row_of(decision, "ndcg@10").blocks


def test_what_is_unscored_is_no_failure_and_cannot_hide_one() -> None:
    samples = plain_samples(200)
    grades: list[list[float | None]] = [[5.0] for _ in samples]
    for row in range(9):
        grades[row] = [None]
    comparison = noisy_pair([[5.0] * 3] * 200, grades, samples, info=GRADE)

    decision = judge(comparison, held(), max_drop=0.03)

    assert share_of(row_of(decision, "faithfulness")).candidate == 1.0
    assert decision.verdict is Verdict.NO_DECISION


def test_a_metric_that_was_not_measured_has_no_share_and_no_decision() -> None:
    samples = plain_samples(30)
    pair = compared(
        {"faithfulness": [[5.0] * 3] * 30}, {"correctness": [[1.0]] * 30}, samples, infos=[GRADE]
    )

    decision = judge(pair, held())

    assert row_of(decision, NAME).verdict is MetricVerdict.NOT_MEASURED
    assert decision.verdict is Verdict.NO_DECISION


def test_another_judge_makes_the_share_not_comparable_as_well() -> None:
    samples = plain_samples(30)
    scores = {"faithfulness": [[5.0] * 3] * 30}

    decision = judge(compared(scores, scores, samples, infos=[GRADE], judge="judge-2"), held())

    assert row_of(decision, NAME).verdict is MetricVerdict.NOT_COMPARABLE
    assert share_of(row_of(decision, "faithfulness")).baseline is None


def test_without_a_baseline_the_share_of_now_is_shown() -> None:
    samples = plain_samples(10)
    after = run_of({"faithfulness": [[5.0]] * 9 + [[2.0]]}, samples, infos=[GRADE])

    decision = judge(compare(None, after, samples), held())

    assert share_of(row_of(decision, "faithfulness")).candidate == 0.9
    assert row_of(decision, NAME).verdict is MetricVerdict.SHOWN


def test_a_share_that_fell_is_accepted_by_its_own_name() -> None:
    taken = Acceptance(metric=NAME, by="mona", reason="stricter on purpose")

    assert judge(slipped(), held(), accepted=[taken]).verdict is Verdict.PASSED


def on_slice(rule_of_metric: Rule) -> Decision:
    samples = tagged({"billing": 40}, rest=400)
    before = np.full((440, 3), 4.0)
    after = before.copy()
    after[:12] = 3.9
    comparison = pair(samples, before, after, infos=(GRADE,))
    return judge(comparison, rule_of_metric, slices=[part(metrics=(NAME,))])


@pytest.mark.parametrize("rule_of_metric", [rule(), held(max_drop=0.3)])
def test_a_slice_holds_a_pass_rate_whether_the_whole_set_does_or_not(rule_of_metric: Rule) -> None:
    decision = on_slice(rule_of_metric)

    (billing,) = decision.slices
    assert billing.key == "billing:faithfulness.pass"
    assert (billing.verdict, billing.worse) == (MetricVerdict.REGRESSED, 12)
    assert decision.verdict is Verdict.FAILED


def test_a_slice_of_a_marked_metric_shows_its_own_share() -> None:
    samples = tagged({"billing": 40}, rest=60)
    grades = np.full((100, 3), 4.0)
    grades[:10] = 2.0
    comparison = pair(samples, grades, grades, infos=(GRADE,))

    (billing,) = judge(comparison, rule(), slices=[part()]).slices

    assert share_of(billing).candidate == 0.75
