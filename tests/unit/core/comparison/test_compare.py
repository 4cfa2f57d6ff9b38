"""What compares with what: samples by id and content, metrics by what they are."""

from __future__ import annotations

import numpy as np
import pytest

from ragate.core.comparison.compare import compare
from ragate.models import MetricInfo, Reads, Rule
from tests.unit.core.decision_factories import EXACT, NOISY, judge, run_of, samples_of


def test_the_golden_sets_order_changes_nothing():
    rng = np.random.default_rng(1)
    scores = rng.integers(0, 2, size=(40, 3)).astype(float)
    samples = samples_of(40)
    baseline = run_of({"faithfulness": scores.tolist()}, samples, words="before")
    candidate = run_of({"faithfulness": scores[:, :1].tolist()}, samples, words="after")
    first = judge(compare(baseline, candidate, samples), Rule(metric="faithfulness"))
    second = judge(compare(baseline, candidate, samples[::-1]), Rule(metric="faithfulness"))

    assert first == second


def test_one_baseline_run_never_makes_a_metric_deterministic():
    samples = samples_of(3)
    once = {"ndcg@10": [[1.0]] * 3}
    comparison = compare(run_of(once, samples), run_of(once, samples), samples)

    assert not comparison.columns["ndcg@10"].exact


def test_equal_scores_of_different_retrievals_are_not_deterministic():
    samples = samples_of(3)
    baseline = run_of({"ndcg@10": [[1.0, 1.0]] * 3}, samples, same_outputs=True)
    records = [
        record.amended(retrieval_hash=f"{record.run}", output_hash=f"{record.run}")
        for record in baseline.records
    ]
    shaky = baseline.amended(records=tuple(records))
    once = run_of({"ndcg@10": [[1.0]] * 3}, samples)

    assert compare(baseline, once, samples).columns["ndcg@10"].exact
    assert not compare(shaky, once, samples).columns["ndcg@10"].exact


@pytest.mark.parametrize(
    ("info", "declared", "exact"),
    [
        (MetricInfo(name="ndcg@10", reads=Reads.ANSWER), (), False),
        (MetricInfo(name="ndcg@10", reads=Reads.ANSWER), (Reads.ANSWER,), True),
        (MetricInfo(name="ndcg@10", reads=Reads.RUN), (Reads.ANSWER, Reads.RUN), False),
        (MetricInfo(name="ndcg@10", needs=NOISY.needs), (Reads.ANSWER,), False),
        (MetricInfo(name="ndcg@10", reads=Reads.RETRIEVAL), (), False),
        (MetricInfo(name="ndcg@10", reads=Reads.RETRIEVAL), (Reads.RETRIEVAL,), True),
    ],
)
def test_determinism_is_declared_and_never_inferred_from_scores(info, declared, exact):
    samples = samples_of(3)
    baseline = run_of(
        {"ndcg@10": [[1.0, 1.0]] * 3},
        samples,
        infos=(info,),
        same_outputs=True,
        deterministic=declared,
    )
    candidate = run_of({"ndcg@10": [[1.0]] * 3}, samples, infos=(info,), deterministic=declared)

    assert compare(baseline, candidate, samples).columns["ndcg@10"].exact is exact


def test_exactness_needs_the_candidates_repeats_to_agree_as_well():
    samples = samples_of(20)
    baseline = run_of({"ndcg@10": [[1.0, 1.0]] * 20}, samples, infos=(EXACT,), same_outputs=True)
    candidate = run_of({"ndcg@10": [[0.0, 1.0]] * 20}, samples, infos=(EXACT,), words="after")
    shaky = [record.amended(retrieval_hash=str(record.run)) for record in candidate.records]
    again = candidate.amended(records=tuple(shaky))

    assert compare(baseline, candidate, samples).columns["ndcg@10"].exact
    assert not compare(baseline, again, samples).columns["ndcg@10"].exact
