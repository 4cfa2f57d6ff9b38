"""Which metrics compare between two runs."""

from __future__ import annotations

import pytest

from ragate.core.comparison.compare import compare
from ragate.models import MetricInfo, MetricVerdict, Rule, Verdict
from tests.unit.core.decision_factories import NOISY, compared, judge, row_of, run_of, samples_of

HALF = [[1.0], [0.0]] * 50


@pytest.mark.parametrize(
    ("changed", "problem", "remedy"),
    [
        ({"version": 0}, "another version", "ragate baseline update"),
        ({"fingerprint": "new"}, "another version", "ragate baseline update"),
    ],
)
def test_a_changed_metric_does_not_compare(changed, problem, remedy):
    samples = samples_of(100)
    after = NOISY.model_copy(update=changed)
    comparison = compare(
        run_of({"faithfulness": HALF}, samples),
        run_of({"faithfulness": HALF}, samples, infos=(after,), words="after"),
        samples,
    )
    decision = judge(comparison, Rule(metric="faithfulness"))

    assert row_of(decision, "faithfulness").verdict is MetricVerdict.NOT_COMPARABLE
    assert problem in decision.reasons[0]
    assert decision.remedies == (remedy,)


@pytest.mark.parametrize(
    ("others", "verdict"), [((), Verdict.NO_DECISION), (("rouge_l",), Verdict.PASSED)]
)
def test_a_metric_of_a_newer_ragate_is_left_out_and_the_others_gate(others, verdict):
    samples, infos = samples_of(100), (NOISY, MetricInfo(name="rouge_l"))
    scores = dict.fromkeys(("faithfulness", "rouge_l"), HALF)
    newer = (NOISY.model_copy(update={"version": 2}), infos[1])
    comparison = compare(
        run_of(scores, samples, infos=infos),
        run_of(scores, samples, infos=newer, words="after"),
        samples,
    )
    decision = judge(comparison, *(Rule(metric=name) for name in ("faithfulness", *others)))

    assert decision.verdict is verdict
    assert row_of(decision, "faithfulness").verdict is MetricVerdict.NOT_COMPARABLE
    assert any(line.startswith("faithfulness is left out") for line in decision.warnings)
    assert "ragate baseline update" in decision.remedies


def test_another_judge_is_another_yardstick_but_only_for_judged_metrics():
    samples = samples_of(100)
    overlap = MetricInfo(name="rouge_l")
    infos = (NOISY, overlap)
    scores = {"faithfulness": HALF, "rouge_l": HALF}
    comparison = compared(scores, scores, samples, infos=infos, judge="judge-2")
    decision = judge(comparison, Rule(metric="faithfulness"), Rule(metric="rouge_l"))

    assert row_of(decision, "faithfulness").verdict is MetricVerdict.NOT_COMPARABLE
    assert row_of(decision, "rouge_l").p is not None
    assert decision.remedies == ("ragate baseline rejudge",)
    assert decision.verdict is Verdict.NO_DECISION


def test_metrics_that_only_one_side_knows_are_kept_apart():
    samples = samples_of(30)
    comparison = compare(
        run_of({"faithfulness": [[1.0]] * 30}, samples),
        run_of({"ndcg@10": [[1.0]] * 30}, samples),
        samples,
    )
    decision = judge(comparison, Rule(metric="faithfulness"), Rule(metric="ndcg@10"))

    assert row_of(decision, "faithfulness").verdict is MetricVerdict.NOT_MEASURED
    assert row_of(decision, "ndcg@10").verdict is MetricVerdict.NOT_COMPARABLE
    assert "faithfulness was not measured" in decision.reasons
    assert "the baseline has no ndcg@10" in decision.reasons
    assert decision.exit_code == 3
