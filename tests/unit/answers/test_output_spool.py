"""What is put into a spool comes back as it was, and scoring reads it a few at a time."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragate.answers import output_spool as spooling
from ragate.answers.output_spool import Spool
from ragate.errors import DatasetError, StorageError
from ragate.models import Failure, RetrievedChunk, SystemOutput, ToolCall, Usage
from ragate.outputs.outputs_file import read_locations
from tests.factories import output_factory

WHOLE = SystemOutput(
    chunks=(
        RetrievedChunk(
            doc_id="a\u2028b.md",
            text="Zürich 果物 🍎\n\x00 end",
            score=0.1 + 0.2,
            metadata={"n": 1, "x": 1.0, "b": True, "none": None},
        ),
    ),
    answer="",
    citations=(0, 7),
    tool_calls=(ToolCall(name="find", arguments={"deep": [1, {"y": 2.5}]}),),
    usage=Usage(calls=2, cost_usd=1e-9),
    latency_s=1 / 3,
    request_hash="0123456789abcdef",
)


@pytest.mark.parametrize(
    "output",
    [WHOLE, SystemOutput(), SystemOutput(error=Failure(kind="system", message="it broke"))],
)
@pytest.mark.parametrize("in_memory", [0, spooling.IN_MEMORY])
def test_an_output_comes_back_as_it_was(
    output: SystemOutput, in_memory: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spooling, "IN_MEMORY", in_memory or 1)
    spool = Spool()
    spool["first"] = output_factory()
    spool["q"] = output
    spool["last"] = output_factory()

    assert spool["q"] == output
    assert list(spool) == ["first", "q", "last"]
    assert "other" not in spool


def test_a_folder_that_takes_nothing_is_an_error_with_a_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(spooling, "IN_MEMORY", 1)
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "absent"))

    with pytest.raises(StorageError, match="No such file") as caught:
        Spool()["q"] = WHOLE
    assert "TMPDIR" in str(caught.value.remedy)


def test_what_was_replaced_is_gone() -> None:
    spool = Spool()
    spool["q"] = WHOLE
    spool["q"] = SystemOutput(answer="new")

    assert spool["q"].answer == "new"
    assert len(spool) == 1


def test_recorded_outputs_that_change_under_way_are_refused(tmp_path: Any) -> None:
    path = tmp_path / "o.jsonl"
    path.write_text('{"id": "a", "answer": "one"}\n\n{"id": "b", "answer": "two"}\n')
    places = [place for place, _ in read_locations(path)]
    assert [place.read().answer for place in places] == ["one", "two"]

    path.write_text('{"id": "a", "answer": "ONE"}\n\n{"id": "b", "answer": "two"}\n')

    assert places[1].read().answer == "two"
    with pytest.raises(DatasetError, match=r"o\.jsonl:1: the file changed"):
        places[0].read()
