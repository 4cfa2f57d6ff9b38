"""Cases for the tests of this folder."""

from __future__ import annotations

from ragate.judges.rubric._judged_sample import JudgedSample, judged_sample
from ragate.models import Sample, SystemOutput


def case(sample: Sample, output: SystemOutput) -> JudgedSample:
    return judged_sample(sample, output)


def texts(output: SystemOutput) -> list[str]:
    return [chunk.text for chunk in output.chunks]
