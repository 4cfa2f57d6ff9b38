"""What compares with what: samples by id and content, metrics by what they are."""

from __future__ import annotations

import numpy as np
import pytest

from ragate.core.comparison.compare import Comparison, compare
from ragate.models import (
    Direction,
    Failure,
    Filters,
    MetricInfo,
    MetricVerdict,
    Reads,
    Rule,
    Sample,
    Score,
    ScoreState,
    Verdict,
)
from tests.unit.core.decision_factories import (
    EXACT,
    N_A,
    NOISY,
    exact_pair,
    judge,
    noisy_pair,
    row_of,
    run_of,
    samples_of,
)

HALF = [[1.0], [0.0]] * 50


def pair_of(before: int, now: list[Sample], **options: object) -> Comparison:
    then = samples_of(before)
    baseline = run_of({"faithfulness": [[1.0]] * before}, then, words="before")
    candidate = run_of(
        {"faithfulness": [[1.0]] * len(now)},
        now,
        **options,  # type: ignore[arg-type]
    )
    return compare(baseline, candidate, now)


def test_a_removed_sample_is_named_with_its_baseline_mean():
    comparison = pair_of(10, samples_of(9))

    assert [row.sample_id for row in comparison.data.removed] == ["q0009"]
    assert comparison.data.removed[0].means == {"faithfulness": 1.0}
    assert comparison.data.matched == 9


def test_an_edited_sample_is_both_removed_and_added():
    now = [*samples_of(9), Sample(id="q0009", query="another question")]
    comparison = pair_of(10, now)

    assert comparison.data.edited == ("q0009",)
    assert comparison.data.added == ("q0009",)
    assert [row.sample_id for row in comparison.data.removed] == ["q0009"]


def test_tags_are_no_content():
    now = [Sample(id=s.id, query=s.query, tags=("new",)) for s in samples_of(10)]

    assert pair_of(10, now).data.matched == 10


def test_fewer_than_80_percent_matched_is_not_comparable():
    seven = judge(pair_of(10, samples_of(7)), Rule(metric="faithfulness"))
    eight = judge(pair_of(10, samples_of(8)), Rule(metric="faithfulness"))

    assert row_of(seven, "faithfulness").verdict is MetricVerdict.NOT_COMPARABLE
    assert seven.exit_code == 3
    assert "only 7 of the baseline's 10 samples are still the same" in seven.reasons
    assert "ragate baseline update" in seven.remedies
    assert row_of(eight, "faithfulness").verdict is not MetricVerdict.NOT_COMPARABLE


def test_a_filtered_run_removes_nothing_and_says_partial():
    comparison = pair_of(10, samples_of(3), filters=Filters(limit=3))
    decision = judge(comparison, Rule(metric="faithfulness"))

    assert comparison.data.removed == ()
    assert comparison.data.selected == 3
    assert "partial: only the filtered samples were run" in decision.warnings


def test_the_golden_sets_order_changes_nothing():
    rng = np.random.default_rng(1)
    scores = rng.integers(0, 2, size=(40, 3)).astype(float)
    samples = samples_of(40)
    baseline = run_of({"faithfulness": scores.tolist()}, samples, words="before")
    candidate = run_of({"faithfulness": scores[:, :1].tolist()}, samples, words="after")
    first = judge(compare(baseline, candidate, samples), Rule(metric="faithfulness"))
    second = judge(compare(baseline, candidate, samples[::-1]), Rule(metric="faithfulness"))

    assert first == second


@pytest.mark.parametrize(
    ("changed", "problem", "remedy"),
    [
        ({"version": 2}, "another version", "ragate baseline update"),
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


def test_another_judge_is_another_yardstick_but_only_for_judged_metrics():
    samples = samples_of(100)
    overlap = MetricInfo(name="rouge_l")
    infos = (NOISY, overlap)
    scores = {"faithfulness": HALF, "rouge_l": HALF}
    comparison = compare(
        run_of(scores, samples, infos=infos),
        run_of(scores, samples, infos=infos, words="after", judge="judge-2"),
        samples,
    )
    decision = judge(comparison, Rule(metric="faithfulness"), Rule(metric="rouge_l"))

    assert row_of(decision, "faithfulness").verdict is MetricVerdict.NOT_COMPARABLE
    assert row_of(decision, "rouge_l").p is not None
    assert decision.remedies == ("ragate baseline rejudge",)
    assert decision.verdict is Verdict.NO_DECISION


def test_byte_equal_passes_count_as_one_run_and_that_is_said():
    samples = samples_of(100)
    thrice = [[value[0]] * 3 for value in HALF]
    baseline = run_of({"faithfulness": thrice}, samples, words="before", same_outputs=True)
    comparison = compare(baseline, run_of({"faithfulness": HALF}, samples, words="after"), samples)
    decision = judge(comparison, Rule(metric="faithfulness"))

    assert comparison.columns["faithfulness"].baseline.values.shape == (100, 1)
    assert any("3 baseline runs hold 1 different" in line for line in decision.warnings)


def test_passes_that_a_file_leaves_out_as_identical_still_count_as_repeats():
    samples = samples_of(3)
    baseline = run_of({"ndcg@10": [[1.0]] * 3}, samples, runs=3, identical=2)
    comparison = compare(baseline, run_of({"ndcg@10": [[1.0]] * 3}, samples), samples)

    assert comparison.baseline.repeats == 3
    assert comparison.columns["ndcg@10"].exact


def test_extra_tries_of_single_samples_are_no_pass():
    samples = samples_of(5)
    scores = [[1.0, 0.0, 0.0], *[[1.0]] * 4]
    comparison = compare(
        run_of({"faithfulness": [[1.0]] * 5}, samples),
        run_of({"faithfulness": scores}, samples, words="after"),
        samples,
    )

    assert comparison.columns["faithfulness"].candidate.values.shape == (5, 1)
    assert len(comparison.candidate.tries["q0000"]) == 3


def test_one_baseline_run_never_makes_a_metric_deterministic():
    samples = samples_of(3)
    once = {"ndcg@10": [[1.0]] * 3}
    comparison = compare(run_of(once, samples), run_of(once, samples), samples)

    assert not comparison.columns["ndcg@10"].exact


def test_equal_scores_of_different_retrievals_are_not_deterministic():
    samples = samples_of(3)
    baseline = run_of({"ndcg@10": [[1.0, 1.0]] * 3}, samples, same_outputs=True)
    records = [
        record.model_copy(
            update={"retrieval_hash": f"{record.run}", "output_hash": f"{record.run}"}
        )
        for record in baseline.records
    ]
    shaky = baseline.model_copy(update={"records": tuple(records)})
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


def test_a_sample_with_the_same_request_keeps_its_baseline_mean():
    samples = samples_of(2)
    requests = {"q0000": "r1", "q0001": "r2"}
    baseline = run_of({"faithfulness": [[1.0, 0.0], [1.0, 1.0]]}, samples, requests=requests)
    candidate = run_of(
        {"faithfulness": [[0.0], [0.0]]},
        samples,
        requests={**requests, "q0001": "another"},
        words="after",
    )
    comparison = compare(baseline, candidate, samples)
    column = comparison.columns["faithfulness"]

    assert comparison.affected == 1
    assert column.candidate.values.tolist() == [[0.5], [0.0]]
    assert column.baseline.values[0].tolist() == [0.5, 0.5]
    assert column.recorded.values[0].tolist() == [1.0, 0.0]


def test_a_failed_output_is_affected_whatever_its_request():
    samples = samples_of(1)
    failure = {"q0000": Failure(kind="system", message="boom")}
    comparison = compare(
        run_of({"faithfulness": [[1.0]]}, samples, requests={"q0000": "r"}),
        run_of({"faithfulness": [[0.0]]}, samples, requests={"q0000": "r"}, failures=failure),
        samples,
    )

    assert comparison.columns["faithfulness"].candidate.values.tolist() == [[0.0]]


def test_equal_outputs_of_a_deterministic_system_are_unaffected():
    comparison = exact_pair([1.0, 1.0], [1.0, 1.0], words="before", same_outputs=True)

    assert comparison.affected == 0


def test_without_requests_or_determinism_nobody_knows_what_is_affected():
    assert noisy_pair([[1.0]], [[1.0]]).affected is None


def test_no_affected_sample_means_unchanged_whatever_the_size():
    samples = samples_of(2)
    requests = {"q0000": "r1", "q0001": "r2"}
    comparison = compare(
        run_of({"faithfulness": [[1.0], [0.0]]}, samples, requests=requests),
        run_of({"faithfulness": [[0.0], [0.0]]}, samples, requests=requests, words="after"),
        samples,
    )
    decision = judge(comparison, Rule(metric="faithfulness"))

    assert row_of(decision, "faithfulness").verdict is MetricVerdict.UNCHANGED
    assert decision.verdict is Verdict.PASSED


def test_silence_on_one_side_is_unscored():
    samples = samples_of(4)
    comparison = compare(
        run_of({"faithfulness": [[0.0], [1.0], [N_A], [N_A]]}, samples),
        run_of({"faithfulness": [[N_A], [1.0], [1.0], [N_A]]}, samples, words="after"),
        samples,
    )
    column = comparison.columns["faithfulness"]

    assert column.candidate.unscored.ravel().tolist() == [True, False, False, False]
    assert column.baseline.unscored.ravel().tolist() == [False, False, True, False]
    assert column.applies.tolist() == [True, True, True, False]


def test_a_value_outside_the_range_is_unscored_and_says_so():
    comparison = noisy_pair([[1.0]] * 10, [[1.3]] + [[1.0]] * 9)
    decision = judge(comparison, Rule(metric="faithfulness"))

    assert "1.3 is outside the range 0 to 1" in row_of(decision, "faithfulness").unscored_reasons
    assert decision.verdict is Verdict.NO_DECISION


def test_not_a_number_from_a_plugin_is_unscored():
    samples = samples_of(30)
    candidate = run_of({"faithfulness": [[1.0]] * 30}, samples, words="after")
    broken = Score(metric="faithfulness", state=ScoreState.UNSCORED)
    object.__setattr__(broken, "state", ScoreState.VALUE)
    object.__setattr__(broken, "value", float("nan"))
    records = tuple(
        record.model_copy(update={"scores": {"faithfulness": broken}})
        for record in candidate.records
    )
    comparison = compare(
        run_of({"faithfulness": [[1.0]] * 30}, samples),
        candidate.model_copy(update={"records": records}),
        samples,
    )

    assert judge(comparison, Rule(metric="faithfulness")).verdict is Verdict.NO_DECISION


def test_a_cluster_is_a_metadata_value_or_a_tag_with_its_prefix():
    samples = [
        Sample(id="a", query="a", metadata={"doc": "x"}),
        Sample(id="b", query="b", metadata={"doc": "x"}),
        Sample(id="c", query="c", tags=("other", "doc:y")),
        Sample(id="d", query="d"),
    ]
    scores = {"faithfulness": [[1.0]] * 4}
    found = compare(run_of(scores, samples), run_of(scores, samples), samples, cluster="doc")

    assert found.clusters is not None
    assert len(set(found.clusters.tolist())) == 3
    assert found.clusters[0] == found.clusters[1]


def test_an_unbounded_metric_is_scaled_by_the_largest_value_of_both_sides():
    tokens = MetricInfo(name="tokens", high=None, direction="lower", unit="tokens")
    column = noisy_pair([[100.0]], [[400.0]], info=tokens).columns["tokens"]

    assert column.span == 400.0
    assert column.scaled(column.candidate.values).tolist() == [[0.0]]
    assert column.unit(0.0) == 400.0


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


def test_exactness_needs_the_candidates_repeats_to_agree_as_well():
    samples = samples_of(20)
    baseline = run_of({"ndcg@10": [[1.0, 1.0]] * 20}, samples, infos=(EXACT,), same_outputs=True)
    candidate = run_of({"ndcg@10": [[0.0, 1.0]] * 20}, samples, infos=(EXACT,), words="after")
    shaky = [
        record.model_copy(update={"retrieval_hash": str(record.run)})
        for record in candidate.records
    ]
    again = candidate.model_copy(update={"records": tuple(shaky)})

    assert compare(baseline, candidate, samples).columns["ndcg@10"].exact
    assert not compare(baseline, again, samples).columns["ndcg@10"].exact


def test_a_score_that_reads_the_run_itself_is_not_taken_for_unaffected():
    seconds = MetricInfo(name="seconds", reads=Reads.RUN, direction="lower", high=None)
    samples = samples_of(40)
    requests = {sample.id: "r" for sample in samples}
    comparison = compare(
        run_of({"seconds": [[1.0]] * 40}, samples, infos=(seconds,), requests=requests),
        run_of({"seconds": [[2.0]] * 40}, samples, infos=(seconds,), requests=requests),
        samples,
    )
    row = row_of(judge(comparison, Rule(metric="seconds", level="warn")), "seconds")

    assert comparison.affected == 0
    assert row.change == 1.0
    assert row.verdict is MetricVerdict.REGRESSED


def test_silence_beside_no_value_leaves_the_sample_out_and_beside_a_value_is_counted():
    samples = samples_of(5)
    comparison = compare(
        run_of({"faithfulness": [[N_A], [N_A], [None], [1.0], [N_A]]}, samples),
        run_of({"faithfulness": [[None], [1.0], [N_A], [N_A], [N_A]]}, samples, words="after"),
        samples,
    )
    column = comparison.columns["faithfulness"]
    said = "nothing to measure here, but a value on the other side"

    assert column.applies.tolist() == [False, True, False, True, False]
    assert column.baseline.reasons == {"judge timeout": 1, said: 1}
    assert column.candidate.reasons == {"judge timeout": 1, said: 1}


def test_the_range_of_an_unbounded_metric_ends_at_its_largest_value():
    tokens = MetricInfo(name="tokens", low=2.0, high=None, direction=Direction.LOWER)
    column = noisy_pair([[3.0], [5.0]], [[12.0], [4.0]], info=tokens).columns["tokens"]

    assert (column.low, column.span) == (2.0, 10.0)
    assert column.scaled(column.candidate.values).ravel().tolist() == [0.0, 0.8]
