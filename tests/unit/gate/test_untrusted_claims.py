"""Outputs of a job that is not trusted: a claim softens nothing."""

from __future__ import annotations

import pytest

from ragate.answers.collected_outputs import Collected
from ragate.core.comparison.compare import compare
from ragate.core.hashing import output_hash
from ragate.errors import DatasetError
from ragate.gate.untrusted_claims import MOST_CHARS, distrust
from ragate.models import (
    CallResult,
    Executed,
    Reads,
    RetrievedChunk,
    Run,
    RunManifest,
    SystemInfo,
    SystemOutput,
)
from ragate.scoring.metric_records import evaluate
from tests.factories import sample_factory

SAMPLES = [sample_factory(f"q{number}") for number in range(4)]
BOTH = frozenset({Reads.RETRIEVAL, Reads.ANSWER})


def answer(text: str, request: str | None) -> SystemOutput:
    return SystemOutput(answer=text, chunks=(RetrievedChunk(doc_id="a"),), request_hash=request)


def baseline(*, deterministic: frozenset[Reads] = frozenset()) -> Run:
    outputs = {one.id: answer("right", f"request-{one.id}") for one in SAMPLES}
    manifest = RunManifest(system=SystemInfo(use="pgvector", deterministic=deterministic))
    return evaluate([outputs], SAMPLES, [], manifest=manifest)


def collected(text: str, *, system: SystemInfo | None = None) -> Collected:
    outputs = {one.id: answer(text, f"request-{one.id}") for one in SAMPLES}
    manifest = RunManifest(system=system or SystemInfo(use="pgvector"), evidence="e", commit="c")
    return Collected(manifest, [outputs])


def affected(found: Collected, base: Run) -> int | None:
    run = evaluate(found.passes, SAMPLES, [], manifest=found.manifest)
    return compare(base, run, SAMPLES).affected


def test_the_baselines_requests_on_other_answers_would_hide_the_change_and_do_not() -> None:
    base = baseline()
    forged = collected("wrong")
    assert affected(forged, base) == 0  # the attack, unhindered
    assert affected(distrust(forged, base), base) != 0


def test_a_request_that_gave_this_very_output_in_the_baseline_is_kept() -> None:
    base = baseline()
    honest = distrust(collected("right"), base)
    assert affected(honest, base) == 0
    assert {output_hash(one) for one in honest.passes[0].values()} == {
        record.output_hash for record in base.records
    }


@pytest.mark.parametrize("claimed", [frozenset(), frozenset({Reads.RETRIEVAL}), BOTH])
def test_what_repeats_exactly_is_taken_from_the_baseline(claimed: frozenset[Reads]) -> None:
    base = baseline(deterministic=BOTH)
    system = SystemInfo(use="pgvector", deterministic=claimed, fingerprint="f" * 16)
    found = distrust(collected("right", system=system), base).manifest
    assert found.system.deterministic == BOTH
    assert (found.system.fingerprint, found.evidence, found.commit) == ("", "", "")


def test_what_a_stranger_noted_with_the_run_is_dropped() -> None:
    noted = collected("right")
    noted.manifest = noted.manifest.amended(branch="main", meta={"who": "me"}, description="fine")
    found = distrust(noted, None).manifest
    assert (found.branch, found.meta, found.description) == ("", {}, "")


def test_results_of_right_calls_are_not_taken_from_the_output() -> None:
    came = collected("right")
    results = Executed(made=(CallResult(value=1),), expected=(CallResult(value=1),))
    came.passes[0]["q0"] = came.passes[0]["q0"].amended(executed=results)

    found = distrust(came, None).passes[0]["q0"].executed

    assert found == Executed(made=(CallResult(value=1),))


def test_a_text_or_a_number_of_passes_beyond_all_measure_is_refused() -> None:
    with pytest.raises(DatasetError, match="characters"):
        distrust(collected("x" * (MOST_CHARS + 1)), None)
    many = collected("x")
    many.passes *= 61
    with pytest.raises(DatasetError, match="passes"):
        distrust(many, None)
