"""Files of recorded outputs in our format, in a table, and in somebody else's shape."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.errors import DatasetError
from ragate.models import RunManifest, SystemInfo
from ragate.outputs.mapping import RecordMapping
from ragate.outputs.outputs_file import OutputsHeader, header_line
from ragate.outputs.recordings import KeptOutputs, read_recorded, read_with_header
from tests.unit.outputs.exports.exported import ANSWERS, FILES, TEXTS, lines

RAGAS = RecordMapping(preset="ragas")


def test_one_file_with_questions_answers_and_contexts_is_read_as_it_is():
    found = [output for _, _, output in read_recorded(FILES / "one_file.json", RecordMapping())]

    assert {output.question: output.answer for output in found} == ANSWERS
    assert found[0].chunks[0].text == TEXTS["refunds.md"]


def test_a_table_is_read_cell_by_cell(tmp_path: Path):
    path = tmp_path / "o.csv"
    path.write_text('question,answer,contexts\nWhy?,So.,"[""A"", ""B""]"\n')

    ((where, _, output),) = read_recorded(path, RecordMapping())

    assert where == f"{path}:2"
    assert [chunk.text for chunk in output.chunks] == ["A", "B"]


def test_a_table_in_its_own_fields_is_refused_with_a_proposal(tmp_path: Path):
    path = tmp_path / "o.csv"
    path.write_text("prompt,reply\nWhy?,So.\n")

    with pytest.raises(DatasetError) as raised:
        list(read_recorded(path, RecordMapping()))

    assert 'answer = "/reply"' in raised.value.remedy


def test_what_ragate_wrote_is_read_as_such_whatever_the_mapping(tmp_path: Path):
    path = tmp_path / "o.jsonl"
    manifest = RunManifest(system=SystemInfo(use="python"))
    path.write_text(header_line(OutputsHeader(manifest=manifest)) + '{"id": "q"}\n')

    ((_, _, output),) = read_recorded(path, RAGAS)
    header, again = read_with_header(path, RAGAS)

    assert output.id == "q"
    assert header is not None
    assert [one for _, one in again] == [output]


def test_outputs_that_were_mapped_are_kept_apart_from_their_files(tmp_path: Path):
    path = lines(tmp_path / "o.jsonl", {"user_input": "Why?", "response": "So."})
    kept = KeptOutputs()
    numbers = [kept.add(what) for _, what, _ in read_recorded(path, RAGAS)]
    path.unlink()

    assert [kept.get(number).read().answer for number in numbers] == ["So."]


def test_an_empty_list_is_no_recording(tmp_path: Path):
    path = tmp_path / "o.json"
    path.write_text("[]")

    with pytest.raises(DatasetError, match="no recorded output in it"):
        list(read_recorded(path, RecordMapping()))
