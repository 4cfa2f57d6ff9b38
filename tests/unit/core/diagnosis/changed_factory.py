"""Changed samples for the tests of this folder."""

from __future__ import annotations

from ragate.core.diagnosis.changed_samples import changed_samples
from ragate.models import Record, Rule, Sample, SampleRow
from tests.unit.core.diagnosis.diagnosis_factory import SAMPLE, run_of

RULES = (Rule(metric="idf_f1"), Rule(metric="mrr", level="warn"))


def changed(
    samples: list[Sample], before: list[Record], after: list[Record], **more: object
) -> tuple[tuple[SampleRow, ...], int]:
    more = {"rules": RULES, "missing_documents": {}} | more
    return changed_samples(samples, run_of(*before), run_of(*after), **more)[:2]  # type: ignore[arg-type]


def sample(name: str, *, must_pass: bool = False) -> Sample:
    return Sample(**SAMPLE.model_dump() | {"id": name, "must_pass": must_pass})
