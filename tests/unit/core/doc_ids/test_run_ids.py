"""The ids of a run beside those that its samples expect."""

from __future__ import annotations

from ragate.core.doc_ids import run_mismatch
from ragate.models import Failure, Record, RetrievedChunk, Sample, SystemOutput


def record(sample_id: str, *doc_ids: str, run: int = 0, failed: bool = False) -> Record:
    error = Failure(kind="system", message="x") if failed else None
    chunks = tuple(RetrievedChunk(doc_id=doc_id) for doc_id in doc_ids)
    output = SystemOutput(chunks=chunks, error=error)
    return Record(
        sample_id=sample_id,
        run=run,
        output=output,
        content_hash="c",
        retrieval_hash="r",
        output_hash="o",
    )


SAMPLES = [
    Sample(id="q1", query="A?", relevant={"kb/a.md": 1}),
    Sample(id="q2", query="B?"),
]


def test_only_samples_that_expect_something_are_looked_at():
    mismatch = run_mismatch(SAMPLES, [record("q2", "x"), record("q1", "a.md")])

    assert mismatch is not None
    assert (mismatch.expected, mismatch.retrieved, mismatch.of) == ("kb/a.md", "a.md", 1)
    assert run_mismatch(SAMPLES[1:], [record("q2", "x")]) is None


def test_an_output_that_failed_says_nothing_of_ids():
    assert run_mismatch(SAMPLES, [record("q1", failed=True)]) is None


def test_the_first_pass_is_enough():
    records = [record("q1", "a.md"), record("q1", "kb/a.md", run=1)]

    assert run_mismatch(SAMPLES, records) is not None
