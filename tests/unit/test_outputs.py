"""Recorded outputs: what users write, what ragate writes, and what is wrong with a line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.core.hashing import output_hash
from ragate.errors import DatasetError
from ragate.models import Failure, RunManifest, SystemInfo, SystemOutput, Usage
from ragate.outputs.outputs_file import OutputsHeader, header_line, output_line, read_outputs
from tests.factories import output_factory, sample_factory


def outputs_of(path: Path, *lines: object) -> Path:
    path.write_text("\n".join(json.dumps(line) for line in lines) + "\n")
    return path


def only(path: Path):
    _, lines = read_outputs(path)
    return next(lines)[1].output()


def test_contexts_as_plain_texts_become_chunks_named_by_their_text(tmp_path: Path):
    path = outputs_of(
        tmp_path / "o.jsonl", {"question": "Why?", "answer": "So.", "contexts": ["A", "B"]}
    )

    output = only(path)

    assert [chunk.text for chunk in output.chunks] == ["A", "B"]
    assert len({chunk.doc_id for chunk in output.chunks}) == 2


def test_chunks_with_ids_keep_them(tmp_path: Path):
    path = outputs_of(tmp_path / "o.jsonl", {"id": 7, "chunks": [{"doc_id": "a.md", "text": "A"}]})

    assert only(path).chunks[0].doc_id == "a.md"


def test_citations_by_document_become_chunk_numbers_and_zero_where_none_resolves(tmp_path: Path):
    chunks = [{"doc_id": "a"}, {"doc_id": "b"}, {"doc_id": "b"}]
    path = outputs_of(
        tmp_path / "o.jsonl", {"id": "q", "chunks": chunks, "citations": ["b", 3, 9, "z"]}
    )

    assert only(path).citations == (2, 3, 0, 0)


def test_an_error_as_text_is_a_failure_of_the_system(tmp_path: Path):
    path = outputs_of(tmp_path / "o.jsonl", {"id": "q", "error": "boom"})

    assert only(path).error == Failure(kind="system", message="boom")


def test_an_output_survives_the_way_through_the_file(tmp_path: Path):
    sample = sample_factory()
    output = output_factory(
        citations=(1,), usage=Usage(calls=1, prompt_tokens=5), request_hash="r"
    ).amended(latency_s=0.25, first_token_s=0.125, finish_reason="length")
    header = OutputsHeader(manifest=RunManifest(system=SystemInfo(use="pgvector")), samples=1)
    path = tmp_path / "o.jsonl"
    path.write_text(header_line(header) + output_line(sample, output, run=2))

    read_header, lines = read_outputs(path)
    line = next(lines)[1]

    assert read_header == header
    assert (line.id, line.run) == (sample.id, 2)
    assert line.output() == output
    assert output_hash(line.output()) == output_hash(output)
    assert output_hash(output) != output_hash(output.amended(finish_reason=""))
    assert output_hash(output.amended(finish_reason="stop")) == output_hash(
        output.amended(finish_reason="")  # outputs of before have none
    )


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ({"answer": "x"}, "neither `id` nor `question`"),
        ({"id": "q", "contxts": ["a"]}, "did you mean 'contexts'"),
        ({"id": "q", "contexts": ["a"], "chunks": []}, "not both"),
        ({"id": "q", "contexts": [5]}, "chunks"),
        ({"id": "q", "answer": 5}, "answer"),
        ({"id": "q", "latency": -1}, "latency"),
        (["id"], "dictionary"),
    ],
)
def test_a_wrong_line_is_named_with_file_number_and_reason(tmp_path: Path, line: object, said: str):
    path = outputs_of(tmp_path / "o.jsonl", {"id": "fine", "answer": "x"}, line)

    with pytest.raises(DatasetError, match=said) as caught:
        list(read_outputs(path)[1])

    assert "o.jsonl:2" in str(caught.value)


def test_an_empty_file_holds_no_output(tmp_path: Path):
    (tmp_path / "o.jsonl").write_text("")

    with pytest.raises(DatasetError, match="no recorded output"):
        list(read_outputs(tmp_path / "o.jsonl")[1])


def test_a_header_of_another_format_version_is_refused(tmp_path: Path):
    path = outputs_of(tmp_path / "o.jsonl", {"ragate_outputs": 2})

    with pytest.raises(DatasetError, match="format 2"):
        read_outputs(path)


@given(data=st.binary(max_size=200))
def test_any_bytes_are_outputs_or_a_clear_error(
    data: bytes, tmp_path_factory: pytest.TempPathFactory
):
    path = tmp_path_factory.getbasetemp() / "fuzz.jsonl"
    path.write_bytes(data)
    said = ""
    outputs: list[SystemOutput] = []
    try:
        outputs = [line.output() for _, line in read_outputs(path)[1]]
    except DatasetError as error:
        said = str(error)

    assert outputs or "fuzz.jsonl" in said


@pytest.mark.parametrize("field", ["contexts", "chunks"])
@pytest.mark.parametrize("value", ["one long text", 5, {"text": "A"}])
def test_passages_that_are_no_list_are_refused(tmp_path: Path, field: str, value: object):
    path = outputs_of(tmp_path / "o.jsonl", {"id": "q1", "answer": "So.", field: value})

    with pytest.raises(DatasetError, match=f"o.jsonl:1: .*{field} as a .*: it must be a list"):
        only(path)


def test_passages_may_be_null(tmp_path: Path):
    assert only(outputs_of(tmp_path / "o.jsonl", {"id": "q1", "contexts": None})).chunks == ()


def test_the_ranking_before_a_reranker_is_written_and_read_back(tmp_path: Path) -> None:
    path = tmp_path / "outputs.jsonl"
    output = SystemOutput(answer="x", first_stage=("b.md", "a.md"))
    path.write_text(output_line(sample_factory(), output, run=0) + "\n")

    _, lines = read_outputs(path)

    assert [line.output().first_stage for _, line in lines] == [("b.md", "a.md")]
