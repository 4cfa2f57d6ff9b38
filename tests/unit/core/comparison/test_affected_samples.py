"""Samples of a system whose model calls were recorded: when they cannot have changed."""

from __future__ import annotations

import numpy as np
import pytest

from ragate.core.comparison.affected_samples import find_unaffected, none_measured
from ragate.core.comparison.compare import compare
from ragate.core.comparison.run_passes import asks_nothing_new, read_pair
from ragate.core.hashing import calls_hash, is_recorded
from ragate.models import Direction, Failure, MetricInfo, MetricVerdict, Reads, Rule, Run, Verdict
from tests.factories import output_factory, record_factory, run_factory, sample_factory
from tests.unit.core.decision_factories import (
    EXACT,
    exact_pair,
    judge,
    noisy_pair,
    row_of,
    run_of,
    samples_of,
)

SAMPLE = sample_factory("q")


Pass = tuple[str | None, str]  # request hash, answer


def passed_run(*passes: Pass) -> Run:
    return run_factory(
        [
            record_factory(SAMPLE, output_factory(answer=answer, request_hash=asked), run=number)
            for number, (asked, answer) in enumerate(passes)
        ],
        runs=len(passes),
    )


def is_unaffected(baseline: Run, candidate: Run) -> bool:
    passes = read_pair(baseline, candidate, ["q"])
    unaffected, traceable = find_unaffected(baseline, candidate, passes)
    assert isinstance(unaffected, np.ndarray)
    assert traceable
    return bool(unaffected[0])


A, B, C = calls_hash(["a"]), calls_hash(["b"]), calls_hash(["c"])


@pytest.mark.parametrize(
    ("night", "nothing_new"),
    [
        ([(A, "two")], True),
        ([(A, "two"), (B, "one")], True),
        ([(A, "new")], False),  # asked anew, and answered otherwise
        ([(C, "one")], False),
        ([(A, "two"), (C, "one")], False),
        ([(None, "one")], False),  # whose requests are not known may have been sent
    ],
)
def test_a_run_of_replies_that_the_baseline_holds_asks_nothing_new(
    night: list[Pass], nothing_new: bool
):
    baseline = passed_run((A, "one"), (A, "two"), (B, "one"), (None, "one"))

    assert asks_nothing_new(baseline, passed_run(*night)) is nothing_new


RULE = Rule(metric="faithfulness")


@pytest.mark.parametrize(("kind", "said"), [("provider", "429"), ("system", "")])
def test_where_a_provider_failed_all_that_changed_nothing_was_measured(kind, said):
    failed = {"q0001": Failure(kind=kind, message="429")}
    run = run_of({"ndcg@10": [[1.0]] * 2}, samples_of(2), failures=failed)
    passes = read_pair(run, run, ["q0000", "q0001"])

    assert none_measured(passes, np.array([True, False])) == said


def test_the_order_of_requests_does_not_count_and_their_number_does():
    assert calls_hash(["a", "b"]) == calls_hash(["b", "a"]) != calls_hash(["a"])
    assert calls_hash(["a", "a"]) != A
    assert is_recorded(A)
    assert not is_recorded("0123456789abcdef")
    assert not is_recorded(None)


def test_a_replayed_pass_is_unaffected():
    baseline = passed_run((A, "one"), (A, "two"), (A, "three"))

    assert is_unaffected(baseline, passed_run((A, "one")))
    assert is_unaffected(baseline, passed_run((A, "one"), (A, "two")))


def test_a_chain_that_took_another_way_in_each_pass_is_unaffected():
    baseline = passed_run((A, "one"), (B, "two"))

    assert is_unaffected(baseline, passed_run((A, "one")))
    assert is_unaffected(baseline, passed_run((A, "one"), (B, "two")))
    assert not is_unaffected(baseline, passed_run((A, "two")))


def test_equal_requests_with_another_output_are_affected():
    assert not is_unaffected(passed_run((A, "one")), passed_run((A, "uno")))


def test_another_request_is_affected_although_the_output_is_the_same():
    assert not is_unaffected(passed_run((A, "one"), (A, "two")), passed_run((C, "one")))
    assert not is_unaffected(passed_run((A, "one")), passed_run((A, "one"), (C, "one")))


def test_a_request_of_our_own_answerer_needs_no_equal_output():
    assert is_unaffected(passed_run(("r", "one")), passed_run(("r", "uno")))


def test_recorded_and_other_requests_never_meet():
    assert not is_unaffected(passed_run(("r", "one")), passed_run((A, "one")))


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


def test_a_score_that_reads_the_run_itself_is_not_taken_for_unaffected():
    seconds = MetricInfo(name="seconds", reads=Reads.RUN, direction=Direction.LOWER, high=None)
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


def test_a_missing_record_of_one_sample_is_affected():
    samples = samples_of(3)
    requests = {sample.id: "r" for sample in samples}
    baseline = run_of({"ndcg@10": [[1.0, 1.0]] * 3}, samples, requests=requests, same_outputs=True)
    candidate = run_of({"ndcg@10": [[1.0]] * 2}, samples[:2], requests=requests)
    comparison = compare(baseline, candidate, samples)

    assert comparison.affected == 1
    assert comparison.columns[EXACT.name].exact


def test_without_a_baseline_nobody_knows_what_is_affected():
    samples = samples_of(3)
    comparison = compare(None, run_of({"faithfulness": [[1.0]] * 3}, samples), samples)

    assert comparison.affected is None


@pytest.mark.parametrize(
    ("words", "call", "affected"),
    [
        ("before", "a", 0),  # an output that the baseline gave, from the requests that it made
        ("after", "a", 1),  # the system's own code made something else of the same replies
        ("before", "b", 1),
    ],
)
def test_recorded_requests_count_with_the_output_that_was_made_of_them(words, call, affected):
    samples = samples_of(1)
    pair = compare(
        run_of(
            {"faithfulness": [[1.0, 0.0, 1.0]]},
            samples,
            requests={"q0000": calls_hash(["a"])},
            words="before",
        ),
        run_of(
            {"faithfulness": [[0.0]]}, samples, requests={"q0000": calls_hash([call])}, words=words
        ),
        samples,
    )

    assert pair.affected == affected
