"""Files of recorded outputs in our format, in a table, and in somebody else's shape."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.errors import DatasetError
from ragate.models import RunManifest, SystemInfo
from ragate.outputs.mapping import RecordMapping
from ragate.outputs.outputs_file import OutputsHeader, header_line
from ragate.outputs.recordings import read_recorded, read_with_header
from tests.unit.tables.formats.exported import ANSWERS, FILES, TEXTS, lines

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
    kept = [what for _, what, _ in read_recorded(path, RAGAS)]
    path.unlink()

    assert [each.read().answer for each in kept] == ["So."]


def test_an_empty_list_is_no_recording(tmp_path: Path):
    path = tmp_path / "o.json"
    path.write_text("[]")

    with pytest.raises(DatasetError, match="no recorded output in it"):
        list(read_recorded(path, RecordMapping()))


@pytest.mark.parametrize(
    "line",
    [
        '{"id": "a", "answer": "x", "usage": {"cost_usd": 1e308}}',
        '{"id": "a", "answer": "x", "latency_s": 1e308}',
        '{"id": "a", "answer": "x", "first_token_s": 1e308}',
    ],
)
def test_a_figure_that_nothing_can_cost_or_take_is_refused(tmp_path: Path, line: str):
    path = tmp_path / "o.jsonl"
    path.write_text(line)

    with pytest.raises(DatasetError, match="less than or equal"):
        list(read_recorded(path, RecordMapping()))


def test_a_run_of_trec_is_what_was_retrieved(tmp_path: Path):
    path = tmp_path / "bm25.run"
    path.write_text("1 Q0 b.md 2 3.5 bm25\n1 Q0 a.md 1 9.25 bm25\n2 Q0 c.md 1 1 bm25\n")

    found = [output.output() for _, _, output in read_recorded(path, RecordMapping())]

    assert [[chunk.doc_id for chunk in each.chunks] for each in found] == [
        ["a.md", "b.md"],
        ["c.md"],
    ]


def test_an_export_of_a_known_tool_is_read_without_its_preset(tmp_path: Path):
    path = tmp_path / "o.jsonl"
    path.write_text('{"user_input": "Why?", "response": "So.", "retrieved_contexts": ["A"]}\n')

    [(_, _, output)] = read_recorded(path, RecordMapping())

    assert (output.question, output.answer) == ("Why?", "So.")
