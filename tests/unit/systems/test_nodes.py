"""Nodes of LlamaIndex as chunks with ids."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ragate.systems._nodes import chunk_of
from ragate.systems._output import OutputError

RANDOM = "3f2504e0-4f89-41d3-9a0c-0305e82c3301"


@pytest.mark.parametrize(
    ("parent", "metadata", "doc_id"),
    [
        ("guide", {"file_name": "a.md"}, "guide"),
        (RANDOM, {"file_name": "a.md"}, "a.md"),
        (RANDOM + "_part_0", {"file_name": "a.pdf"}, "a.pdf"),
        (RANDOM, {}, RANDOM),
        (None, {"file_name": "a.md", "file_path": "/x/docs/a.md"}, "a.md"),
        (None, {"file_path": "/x/docs/a.md"}, "docs/a.md"),
        (None, {"file_path": "/y/a.md"}, "/y/a.md"),
        (None, {}, "n1"),
    ],
)
def test_a_document_is_named_by_its_id_unless_that_was_drawn_at_random(
    parent: str | None, metadata: dict[str, str], doc_id: str
):
    assert chunk_of(node(parent, metadata), key="", root=Path("/x")).doc_id == doc_id


def test_a_key_of_ones_own_names_the_document():
    metadata = {"url": "https://x/a", "tags": ["a"]}

    chunk = chunk_of(node("guide", metadata), key="url", root=Path("/x"))

    assert chunk.doc_id == "https://x/a"
    assert chunk.metadata == {"url": "https://x/a"}
    with pytest.raises(OutputError, match=r"no metadata 'path' \(\[system\] doc_id\); it has url"):
        chunk_of(node("guide", metadata), key="path", root=Path("/x"))


def node(parent: str | None, metadata: dict[str, Any]) -> Any:
    return SimpleNamespace(
        node=SimpleNamespace(
            ref_doc_id=parent, metadata=metadata, node_id="n1", get_content=lambda **_: "A"
        ),
        score=float("inf"),
    )
