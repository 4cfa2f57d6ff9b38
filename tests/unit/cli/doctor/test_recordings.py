"""What doctor says of recorded outputs."""

from __future__ import annotations

from collections.abc import Sequence

from ragate.cli.doctor import recordings
from ragate.cli.finding import Finding
from ragate.models import RetrievedChunk, Sample, SystemOutput
from tests.unit.cli.doctor.doctor_factories import samples, statuses


def recorded(*docs: str) -> SystemOutput:
    return SystemOutput(answer="Yes.", chunks=tuple(RetrievedChunk(doc_id=doc) for doc in docs))


def look(asked: Sequence[Sample], outputs: dict[str, SystemOutput]) -> list[Finding]:
    return recordings.recordings(asked, outputs, files=1, runs=1, max_unscored=0.05)


def test_recordings_may_lack_as_much_as_may_be_unscored() -> None:
    asked = samples(20)
    outputs = {one.id: recorded("a.md") for one in asked}

    assert statuses(look(asked, outputs)) == ["ok"]
    del outputs["q3"]
    assert statuses(look(asked, outputs)) == ["ok", "warning"]
    del outputs["q4"]
    assert [one.exit_code for one in look(asked, outputs)] == [3]
