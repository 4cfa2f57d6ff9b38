"""One sample that flipped, and the cause that is named for it."""

from __future__ import annotations

from ragate.core.diagnosis.diagnose import diagnose
from ragate.core.diagnosis.sample_diff import SampleDiff
from ragate.models import Cause, Record
from tests.unit.core.diagnosis.diagnosis_factory import METRICS, SAMPLE


def cause(before: list[Record], after: list[Record], **known: object) -> Cause:
    return diagnose(SampleDiff(SAMPLE, before, after, METRICS, **known))  # type: ignore[arg-type]
