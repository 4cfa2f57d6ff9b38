"""The noisy metrics of one family, tested together."""

from __future__ import annotations

import numpy as np
import pytest

from ragate.core.comparison.compare import compare
from ragate.core.rules.metric_case import read_cases
from ragate.core.rules.metric_family import build_table
from ragate.models import MetricInfo, MetricVerdict, Needs, Rule, Sample, Verdict
from tests.unit.core.cluster_factories import clusters_of
from tests.unit.core.decision_factories import (
    EXACT,
    N_A,
    NOISY,
    TODAY,
    columns,
    compared,
    judge,
    noisy_pair,
    row_of,
    run_of,
    samples_of,
)
from tests.unit.core.rules.noisy_factories import flips

RULE = Rule(metric="faithfulness")


def clustered(lost_documents: int, documents: int = 20):
    samples = [
        Sample(id=f"d{doc:02d}-{row}", query=f"{doc} {row}", metadata={"doc": str(doc)})
        for doc in range(documents)
        for row in range(5)
    ]
    after = [[0.0 if int(str(s.metadata["doc"])) < lost_documents else 1.0] for s in samples]
    before = [[1.0] * 3] * len(samples)
    return noisy_pair(before, after, samples, cluster="doc"), noisy_pair(before, after, samples)


def test_two_metrics_of_many_runs_are_tested_for_fresh_questions_and_these():
    infos = [MetricInfo(name=name, needs=Needs.JUDGE) for name in ("a", "b")]
    samples = samples_of(30)
    before = {name: [[1.0] * 3] * 30 for name in ("a", "b")}
    after = {"a": [[0.0]] * 4 + [[1.0]] * 26, "b": [[1.0]] * 30}
    pair = compared(before, after, samples, infos=infos)
    row = row_of(judge(pair, Rule(metric="a"), Rule(metric="b")), "a")

    assert row.p_here == pytest.approx(0.25**4, abs=1e-3)
    assert row.p == pytest.approx(0.5**5, abs=1e-3)


@pytest.mark.parametrize(
    ("sizes", "lost", "expected"),
    [([1, 2, 3], [1, 1, 0], [-0.5, -0.5, 0.0]), ([1], [1], [-1.0]), ([2, 2], [2, 0], [-1.0, 0.0])],
)
def test_what_clusters_lost_averages_to_the_change_of_a_sample(sizes, lost, expected):
    comparison = clusters_of(sizes, lost)
    table = build_table(read_cases([RULE], comparison, [], TODAY), comparison)

    assert table.spread(0).tolist() == pytest.approx(expected)
    assert table.spread(0).mean() == pytest.approx(-sum(lost) / sum(sizes))


def test_a_broken_cluster_is_one_of_twenty_labellings_of_three_runs_a_side():
    row = row_of(judge(clusters_of([4] * 10, [4] + [0] * 9, runs=3), RULE), "faithfulness")

    assert row.p_here == pytest.approx(1 / 20)


def test_a_sample_that_a_metric_is_silent_on_flips_no_sign():
    infos = (NOISY, MetricInfo(name="correctness", needs=Needs.JUDGE))
    samples = samples_of(32)
    steady = {"faithfulness": [[1.0] * 3] * 32}
    then = steady | {"correctness": [[N_A] * 3] * 20 + [[1.0] * 3] * 12}
    now = steady | {"correctness": [[N_A] * 3] * 20 + [[0.0] * 3] * 5 + [[1.0] * 3] * 7}
    pair = compared(then, now, samples, infos=infos)
    decision = judge(pair, RULE, Rule(metric="correctness"))
    row = row_of(decision, "correctness")

    assert row.p == pytest.approx(0.5**6)  # five of five signs, and half of the only tie


def test_two_runs_and_one_are_tested_for_fresh_questions_and_these():
    after = np.ones((30, 1))
    after[:4] = 0.0
    row = row_of(judge(noisy_pair(np.ones((30, 2)), after), RULE), "faithfulness")

    assert row.p_here == pytest.approx(3**-4)
    assert row.p == pytest.approx(0.5**5)


def test_several_metrics_share_the_error_and_warnings_stay_outside():
    names = ("a", "b", "c")
    infos = [MetricInfo(name=name, needs=Needs.JUDGE) for name in names]
    before, after = flips(60, 6, cand=1)
    samples = samples_of(60)
    then = {name: columns(before) for name in names}
    now = {"a": columns(after), "b": columns(before[:, :1]), "c": columns(after)}
    comparison = compared(then, now, samples, infos=infos)
    rules = [Rule(metric="a"), Rule(metric="b"), Rule(metric="c", level="warn")]
    decision = judge(comparison, *rules)

    assert decision.family == ("a", "b")
    assert row_of(decision, "a").blocks
    assert row_of(decision, "c").verdict is MetricVerdict.REGRESSED
    assert not row_of(decision, "c").blocks
    assert "a, b are tested together" in decision.lines[1]


def test_clusters_stand_or_fall_together():
    by_document, by_sample = clustered(1)
    together, apart = judge(by_document, RULE), judge(by_sample, RULE)

    assert row_of(together, "faithfulness").p == pytest.approx(0.25, abs=0.001)
    assert apart.verdict is Verdict.FAILED
    assert together.verdict is Verdict.PASSED
    assert "samples of one 'doc' count together: 20 clusters" in together.warnings
    wide, narrow = (row_of(each, "faithfulness").interval for each in (together, apart))
    assert wide is not None
    assert narrow is not None
    assert wide[0] < narrow[0]


def test_few_clusters_can_hardly_fail():
    comparison, _ = clustered(0, documents=5)

    assert any("5 clusters, so few that" in said for said in judge(comparison, RULE).warnings)


def test_fewer_clusters_than_could_fail_leave_no_decision():
    comparison, _ = clustered(0, documents=2)
    decision = judge(comparison, RULE)

    assert decision.verdict is Verdict.NO_DECISION
    assert decision.reasons == (
        "faithfulness is scored on 2 clusters: at least 5 must get worse before it can fail",
    )


def test_a_cluster_name_that_no_sample_has_is_said():
    samples = samples_of(40)
    scores = {"faithfulness": [[1.0]] * 40}
    comparison = compared(scores, scores, samples, cluster="dok")

    assert (
        "no sample has a 'dok': each sample counts for itself" in judge(comparison, RULE).warnings
    )


def test_clusters_of_one_equal_the_test_by_sample():
    samples = [Sample(id=f"q{row}", query=f"{row}", metadata={"doc": row}) for row in range(30)]
    before, after = flips(30, 4, cand=1)
    by_doc = judge(noisy_pair(before, after, samples, cluster="doc"), RULE)
    by_sample = judge(noisy_pair(before, after, samples), RULE)

    assert row_of(by_doc, "faithfulness").p == row_of(by_sample, "faithfulness").p


def test_a_sample_with_a_missing_run_leaves_its_cluster():
    samples = [Sample(id=f"q{r:02d}", query=f"{r}", metadata={"doc": r // 2}) for r in range(40)]
    before: list[list[float | None]] = [[1.0, 1.0, 1.0] for _ in samples]
    before[0][1] = None
    now: list[list[float]] = [[1.0] for _ in samples]
    comparison = noisy_pair(before, now, samples, cluster="doc")

    assert row_of(judge(comparison, RULE), "faithfulness").n == 39


def test_ragged_runs_are_tested_with_what_each_sample_has():
    before: list[list[float | None]] = [[1.0, 1.0, 1.0] for _ in range(60)]
    before[59][2] = None
    before[58][0] = None
    after = [[0.0 if row < 9 else 1.0] for row in range(60)]
    comparison = noisy_pair(before, after)
    row = row_of(judge(comparison, RULE), "faithfulness")

    assert row.verdict is MetricVerdict.REGRESSED
    assert row.n == 60
    assert row.unscored_baseline == 2
    assert row.unscored_reasons == {"judge timeout": 2}


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
    comparison = compared(then, now, samples, infos=infos)
    decision = judge(comparison, RULE, Rule(metric="correctness"))

    assert row_of(decision, "correctness").n == 40
    assert row_of(decision, "correctness").not_applicable == 20
    assert row_of(decision, "faithfulness").n == 60
    assert row_of(decision, "faithfulness").verdict is MetricVerdict.REGRESSED


def test_deterministic_metrics_are_no_part_of_the_family():
    samples = samples_of(60)
    before, after = flips(60, 1, cand=1)
    baseline = run_of(
        {"faithfulness": columns(before[:, :2]), "ndcg@10": [[1.0, 1.0]] * 60},
        samples,
        words="before",
    )
    same = [record.amended(retrieval_hash="r") for record in baseline.records]
    baseline = baseline.amended(records=tuple(same))
    candidate = run_of(
        {"faithfulness": columns(after), "ndcg@10": [[1.0]] * 60}, samples, words="after"
    )
    decision = judge(compare(baseline, candidate, samples), RULE, Rule(metric=EXACT.name))

    assert decision.family == ("faithfulness",)
    assert row_of(decision, "ndcg@10").exact
