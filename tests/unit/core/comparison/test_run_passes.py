"""The passes of a run: which are whole, and which repeat another."""

from __future__ import annotations

import pytest

from ragate.core.comparison.compare import compare
from ragate.core.comparison.run_passes import read_passes
from ragate.models import Rule
from tests.unit.core.decision_factories import judge, noisy_pair, run_of, samples_of

HALF = [[1.0], [0.0]] * 50


def test_byte_equal_passes_count_as_one_run_and_that_is_said():
    samples = samples_of(100)
    thrice = [[value[0]] * 3 for value in HALF]
    baseline = run_of({"faithfulness": thrice}, samples, words="before", same_outputs=True)
    comparison = compare(baseline, run_of({"faithfulness": HALF}, samples, words="after"), samples)
    decision = judge(comparison, Rule(metric="faithfulness"))

    assert comparison.columns["faithfulness"].baseline.values.shape == (100, 1)
    assert "all 3 runs of the baseline are identical: they count as one" in decision.warnings


def test_passes_that_a_file_leaves_out_as_identical_still_count_as_repeats():
    samples = samples_of(3)
    baseline = run_of({"ndcg@10": [[1.0]] * 3}, samples, runs=3, identical=2)
    comparison = compare(baseline, run_of({"ndcg@10": [[1.0]] * 3}, samples), samples)

    assert comparison.baseline.repeats == 3
    assert comparison.columns["ndcg@10"].exact


def test_extra_tries_of_single_samples_are_no_pass():
    scores = [[1.0, 0.0, 0.0], *[[1.0]] * 4]
    comparison = noisy_pair([[1.0]] * 5, scores)

    assert comparison.columns["faithfulness"].candidate.values.shape == (5, 1)
    assert len(comparison.candidate.tries["q0000"]) == 3


def test_a_run_of_other_samples_has_no_pass():
    run = run_of({"faithfulness": [[1.0]] * 3}, samples_of(3))

    assert read_passes(run, ["elsewhere"]).whole == ()
    assert read_passes(run, ["elsewhere"]).repeats == 0
    assert read_passes(run, []).whole == ()


@pytest.mark.parametrize(("runs", "identical", "repeats"), [(2, 1, 2), (3, 2, 3), (3, 1, 1)])
def test_equal_passes_that_a_file_does_not_hold_are_counted_where_it_says_so(
    runs, identical, repeats
):
    run = run_of({"faithfulness": [[1.0]] * 3}, samples_of(3))
    manifest = run.manifest.amended(runs=runs, identical=identical)
    found = read_passes(run.amended(manifest=manifest), ["q0000", "q0001", "q0002"])

    assert (found.repeats, found.identical) == (repeats, repeats - 1)
