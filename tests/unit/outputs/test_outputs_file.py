"""The first line of an outputs file."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragate.errors import DatasetError
from ragate.models import RunManifest, SystemInfo
from ragate.outputs.outputs_file import (
    OutputsHeader,
    ShardClaim,
    header_line,
    read_header,
    validated_output,
)

MANIFEST = RunManifest(system=SystemInfo(use="replay"))
CLAIM = ShardClaim(run={"commit": "c"}, number=2, of=3, full=1, passes=3, lines=4, content="c")


def test_a_file_that_is_whole_by_itself_says_nothing_of_shards():
    assert "shard" not in json.loads(header_line(OutputsHeader(manifest=MANIFEST)))


def test_a_shards_claim_reads_back(tmp_path: Path):
    path = tmp_path / "shard.jsonl"
    path.write_text(header_line(OutputsHeader(manifest=MANIFEST, shard=CLAIM)))

    header = read_header(path)

    assert header is not None
    assert header.shard == CLAIM


@pytest.mark.parametrize("text", ["", '{"id": "q"}\n', "[1]\n"])
def test_a_file_of_another_has_no_header(tmp_path: Path, text: str):
    (tmp_path / "x.jsonl").write_text(text)

    assert read_header(tmp_path / "x.jsonl") is None


@pytest.mark.parametrize(
    "field", [{"number": 0}, {"full": 51}, {"again": 51}, {"passes": 201}, {"lines": -1}]
)
def test_a_claim_beyond_reason_is_refused(tmp_path: Path, field: dict[str, int]):
    head = json.loads(header_line(OutputsHeader(manifest=MANIFEST, shard=CLAIM)))
    head["shard"] |= field
    (tmp_path / "x.jsonl").write_text(json.dumps(head) + "\n")

    with pytest.raises(DatasetError, match=next(iter(field))):
        read_header(tmp_path / "x.jsonl")


def test_what_is_wrong_in_a_line_is_said_in_our_words_alone():
    with pytest.raises(DatasetError, match=r"^a\.jsonl:3: give contexts or chunks, not both"):
        validated_output("a.jsonl:3", {"id": "q", "contexts": [], "chunks": []})
