"""What holds for all samples of two runs."""

from __future__ import annotations

from ragate.core.diagnosis.changed_samples import changed_samples
from tests.unit.core.diagnosis.changed_factory import RULES
from tests.unit.core.diagnosis.diagnosis_factory import METRICS, SAMPLE, record, run_of


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
