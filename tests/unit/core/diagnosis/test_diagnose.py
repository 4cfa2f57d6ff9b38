"""Where a flip came from: the first rule that is sure says it."""

from __future__ import annotations

import runpy
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from ragate.models import CauseKind, Failure
from tests.unit.core.diagnosis.cause_factory import cause
from tests.unit.core.diagnosis.diagnosis_factory import RIGHT, record

BENCHMARK = Path(__file__).parents[4] / "benchmarks/planted_causes.py"


WRONG = "The limit is 250 requests, says Marlow."


TIMEOUT = Failure(kind="system", message="TimeoutError: 60 s")


def test_an_edited_sample_is_data():
    edited = record(correctness=5.0).amended(content_hash="before the edit")

    found = cause([edited], [record(answer=WRONG, correctness=1.0)])

    assert found.kind is CauseKind.DATA
    assert "edited" in found.evidence


def test_a_new_sample_is_data():
    assert cause([], [record(correctness=1.0)]).kind is CauseKind.DATA


def test_a_new_sample_whose_system_failed_is_a_system_error():
    assert cause([], [record((), None, error=TIMEOUT)]).kind is CauseKind.SYSTEM_ERROR


def test_an_expected_document_that_left_the_corpus_is_data_and_named():
    found = cause(
        [record(mrr=1.0)], [record(("other.md",), WRONG, mrr=0.0)], missing=("limits.md",)
    )

    assert found.kind is CauseKind.DATA
    assert found.lost == ("limits.md",)
    assert "limits.md is not in the corpus" in found.evidence


def test_a_missing_document_that_was_never_retrieved_explains_no_flip():
    found = cause(
        [record(("other.md",), RIGHT, idf_f1=0.9)],
        [record(("other.md",), WRONG, idf_f1=0.1)],
        missing=("limits.md",),
    )

    assert found.kind is CauseKind.GENERATION


def test_a_failed_run_is_a_system_error_with_its_message():
    found = cause([record(idf_f1=1.0)], [record((), None, error=TIMEOUT, idf_f1=0.0)])

    assert found.kind is CauseKind.SYSTEM_ERROR
    assert found.evidence == "the system failed in 1 of 1 runs of the candidate: TimeoutError: 60 s"


def test_a_provider_that_failed_is_not_called_the_system():
    outage = Failure(kind="provider", message="503")

    assert "a provider failed" in cause([record()], [record((), None, error=outage)]).evidence


def test_a_failure_that_explains_little_does_not_hide_the_rest():
    after = [record((), None, error=TIMEOUT, idf_f1=0.0)]
    after += [record(answer=WRONG, run=run, idf_f1=0.0) for run in (1, 2)]

    assert cause([record(idf_f1=1.0)], after).kind is CauseKind.GENERATION


outputs = st.builds(
    record,
    st.lists(st.sampled_from(["limits.md", "old.md", "other.md"]), max_size=4).map(tuple),
    st.one_of(st.none(), st.sampled_from([RIGHT, WRONG, "", "No."]), st.text(max_size=30)),
    error=st.one_of(st.none(), st.just(TIMEOUT)),
    request=st.sampled_from([None, "r"]),
    light=st.booleans(),
    mrr=st.floats(0, 1),
    idf_f1=st.floats(0, 1),
    correctness=st.floats(1, 5),
)


@given(
    st.lists(outputs, max_size=3),
    st.lists(outputs, min_size=1, max_size=3),
    st.sampled_from([(), ("limits.md",)]),
)
def test_any_two_sides_get_one_cause_with_evidence(before, after, missing):
    found = cause(before, after, missing=missing)

    assert found.evidence
    assert "\n" not in found.evidence


def test_planted_causes_are_named_and_never_confidently_wrong():
    benchmark = runpy.run_path(str(BENCHMARK))
    lines = benchmark["measure"](40, 7)

    right, wrong = benchmark["shares"](lines, "single", "mixed", "hard")
    assert right >= 0.94  # 40 of each; the benchmark itself, on 400, demands 0.95
    assert wrong <= 0.01
