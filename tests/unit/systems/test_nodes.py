"""Nodes of LlamaIndex as chunks with ids."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from ragate.errors import ConfigError
from ragate.systems._output import OutputError
from ragate.systems.llamaindex import NodeReader

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
        ("/x/docs/a.md", {"file_name": "a.md"}, "docs/a.md"),
    ],
)
def test_a_document_is_named_by_its_id_unless_that_was_drawn_at_random(
    parent: str | None, metadata: dict[str, str], doc_id: str
):
    assert NodeReader(Path("/x")).chunk(node(parent, metadata)).doc_id == doc_id


def test_a_key_of_ones_own_names_the_document():
    metadata = {"url": "https://x/a", "tags": ["a"]}

    chunk = NodeReader(Path("/x"), key="url").chunk(node("guide", metadata))

    assert chunk.doc_id == "https://x/a"
    assert chunk.metadata == {"url": "https://x/a"}
    with pytest.raises(OutputError, match=r"no metadata 'path' \(\[system\] doc_id\); it has url"):
        NodeReader(Path("/x"), key="path").chunk(node("guide", metadata))


def test_paths_are_told_relative_to_the_folder_of_the_documents():
    reader = NodeReader(Path("/x"), key="file_path", folder="kb")

    assert reader.chunk(node(RANDOM, {"file_path": "/x/kb/billing/a.md"})).doc_id == "billing/a.md"


def test_a_folder_of_documents_is_enough_to_name_files():
    metadata = {"file_path": "/x/kb/billing/a.md", "file_name": "a.md"}

    assert NodeReader(Path("/x"), folder="kb").chunk(node(RANDOM, metadata)).doc_id == (
        "billing/a.md"
    )


def test_two_files_of_one_name_are_an_error_with_the_remedy():
    reader = NodeReader(Path("/x"))
    reader.chunk(node(RANDOM, {"file_name": "README.md", "file_path": "/x/docs/a/README.md"}))

    with pytest.raises(ConfigError) as raised:
        reader.chunk(node(RANDOM, {"file_name": "README.md", "file_path": "/x/docs/b/README.md"}))

    assert "'README.md': 'docs/a/README.md', 'docs/b/README.md'" in raised.value.message
    assert 'doc_id = "file_path" and doc_id_relative_to' in raised.value.remedy


def test_many_files_of_one_product_are_no_collision():
    reader = NodeReader(Path("/x"), key="product")

    for name in ("a.md", "b.md"):
        metadata = {"product": "P1", "file_name": name, "file_path": f"/x/{name}"}
        assert reader.chunk(node(RANDOM, metadata)).doc_id == "P1"


def node(parent: str | None, metadata: dict[str, Any]) -> dict[str, Any]:
    ids = {"ref_doc_id": parent, "node_id": "n1"}
    return {"text": "A", "metadata": metadata, "score": float("inf"), **ids}
