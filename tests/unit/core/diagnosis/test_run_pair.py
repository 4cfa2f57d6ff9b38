"""What holds for all samples of two runs."""

from __future__ import annotations

from ragate.core.diagnosis.changed_samples import changed_samples
from ragate.models import CauseKind
from tests.unit.core.diagnosis.changed_factory import RULES, changed, sample
from tests.unit.core.diagnosis.diagnosis_factory import METRICS, RIGHT, SAMPLE, record, run_of

WRONG = "The limit is 250 requests, says Marlow."


def test_a_control_that_moved_on_the_whole_set_never_blames_the_change():
    samples = [sample(f"q{number}") for number in range(6)]
    before = [record(sample=one, idf_f1=1.0) for one in samples]
    after = [record(sample=one, answer=WRONG, idf_f1=0.0) for one in samples]
    control = [
        record(sample=one, answer=RIGHT if place == 0 else "Some.", idf_f1=float(place == 0))
        for place, one in enumerate(samples)
    ]

    rows, _ = changed(samples, before, after, control=run_of(*control))

    assert {row.cause.kind for row in rows if row.cause} == {CauseKind.DRIFT, CauseKind.UNKNOWN}


def test_parts_of_the_system_that_changed_are_evidence():
    after = record(idf_f1=0.5).amended(retrieval_hash="other texts", output_hash="other output")
    rows, *_ = changed_samples(
        [SAMPLE],
        run_of(record(idf_f1=1.0), parts={"chunk_size": "512", "corpus": "a"}),
        run_of(after, parts={"chunk_size": "256", "corpus": "a"}, metrics=METRICS),
        rules=RULES,
        missing_documents={},
    )

    assert rows[0].cause
    assert rows[0].cause.evidence.endswith("; changed: chunk_size")
