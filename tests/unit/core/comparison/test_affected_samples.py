"""Samples of a system whose model calls were recorded: when they cannot have changed."""

from __future__ import annotations

import numpy as np

from ragate.core.comparison.affected_samples import find_unaffected
from ragate.core.comparison.run_passes import PassPair, read_passes
from ragate.core.hashing import calls_hash, is_recorded
from ragate.models import Run
from tests.factories import output_factory, record_factory, run_factory, sample_factory

SAMPLE = sample_factory("q")
Pass = tuple[str | None, str]  # request hash, answer


def run_of(*passes: Pass) -> Run:
    return run_factory(
        [
            record_factory(SAMPLE, output_factory(answer=answer, request_hash=asked), run=number)
            for number, (asked, answer) in enumerate(passes)
        ],
        runs=len(passes),
    )


def is_unaffected(baseline: Run, candidate: Run) -> bool:
    passes = PassPair(read_passes(baseline, ["q"]), read_passes(candidate, ["q"]), ["q"])
    unaffected, traceable = find_unaffected(baseline, candidate, passes)
    assert isinstance(unaffected, np.ndarray)
    assert traceable
    return bool(unaffected[0])


A, B, C = calls_hash(["a"]), calls_hash(["b"]), calls_hash(["c"])


def test_the_order_of_requests_does_not_count_and_their_number_does():
    assert calls_hash(["a", "b"]) == calls_hash(["b", "a"]) != calls_hash(["a"])
    assert calls_hash(["a", "a"]) != A
    assert is_recorded(A)
    assert not is_recorded("0123456789abcdef")
    assert not is_recorded(None)


def test_a_replayed_pass_is_unaffected():
    baseline = run_of((A, "one"), (A, "two"), (A, "three"))

    assert is_unaffected(baseline, run_of((A, "one")))
    assert is_unaffected(baseline, run_of((A, "one"), (A, "two")))


def test_a_chain_that_took_another_way_in_each_pass_is_unaffected():
    baseline = run_of((A, "one"), (B, "two"))

    assert is_unaffected(baseline, run_of((A, "one")))
    assert is_unaffected(baseline, run_of((A, "one"), (B, "two")))
    assert not is_unaffected(baseline, run_of((A, "two")))


def test_equal_requests_with_another_output_are_affected():
    assert not is_unaffected(run_of((A, "one")), run_of((A, "uno")))


def test_another_request_is_affected_although_the_output_is_the_same():
    assert not is_unaffected(run_of((A, "one"), (A, "two")), run_of((C, "one")))
    assert not is_unaffected(run_of((A, "one")), run_of((A, "one"), (C, "one")))


def test_a_request_of_our_own_answerer_needs_no_equal_output():
    assert is_unaffected(run_of(("r", "one")), run_of(("r", "uno")))


def test_recorded_and_other_requests_never_meet():
    assert not is_unaffected(run_of(("r", "one")), run_of((A, "one")))
