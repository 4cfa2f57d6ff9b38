"""Which passes of a run are its own, and which may decide."""

from __future__ import annotations

import pytest

from ragate.core.comparison.run_passes import deciding_run, earlier_run, newest_run
from ragate.core.hashing import calls_hash
from tests.unit.core.decision.pooling_factories import GOOD, N, candidate, judged, passes, runs_of
from tests.unit.core.decision_factories import NOISY, columns, run_of, samples_of


def test_the_same_recorded_calls_prove_the_same_state():
    asked = {sample.id: calls_hash([sample.id]) for sample in samples_of(N)}
    scores = columns(passes(range(12), GOOD))
    run = run_of(
        {NOISY.name: scores}, samples_of(N), words="after", requests=asked, earlier=runs_of(1)
    )

    assert deciding_run(run) is run


@pytest.mark.parametrize("asked", [calls_hash(()), "answer:abc", None])
def test_what_is_no_recorded_call_proves_nothing(asked):
    requests = {} if asked is None else {sample.id: asked for sample in samples_of(N)}
    run = run_of(
        {NOISY.name: columns(passes(GOOD, GOOD))},
        samples_of(N),
        requests=requests,
        earlier=runs_of(1),
    )

    assert len(deciding_run(run).records) == N


def test_another_recorded_call_of_one_sample_is_another_state():
    asked = {sample.id: calls_hash([sample.id]) for sample in samples_of(N)}
    run = run_of(
        {NOISY.name: columns(passes(GOOD, GOOD))},
        samples_of(N),
        requests=asked,
        earlier=runs_of(1),
    )
    *rest, last = run.records
    changed = last.amended(output=last.output.amended(request_hash=calls_hash(["else"])))

    assert len(deciding_run(run.amended(records=(*rest, changed))).records) == N


def test_both_parts_of_a_run_hold_their_own_passes():
    run = candidate(passes(range(12), GOOD, GOOD, GOOD), earlier=3)

    newest, earlier = newest_run(run), earlier_run(run)

    assert {record.run for record in newest.records} == {3}
    assert {record.run for record in earlier.records} == {0, 1, 2}
    assert (newest.manifest.runs, earlier.manifest.runs) == (1, 3)
    assert len(newest.records[:2]) == 2


def test_a_run_without_earlier_passes_is_its_own_newest():
    run = candidate(passes(GOOD), earlier=0)

    assert newest_run(run) is run
    assert judged(run).earlier is None
