"""Data sets of LlamaIndex."""

from __future__ import annotations

from pathlib import Path

from tests.contrib.golden.importers.imports import REFUNDS, bring


def test_a_labelled_data_set_of_llamaindex_is_read(tmp_path: Path) -> None:
    _, samples = bring(tmp_path, "llamaindex", "llamaindex_rag_dataset.json")

    assert samples[REFUNDS].expected == {"refunds.md"}
    assert samples["How long is the warranty?"].metadata["query_by"] == "ai some-model"


def test_pairs_of_llamaindex_keep_their_nodes_or_are_placed_by_text(tmp_path: Path) -> None:
    _, nodes = bring(tmp_path, "llamaindex", "llamaindex_embedding_qa.json", None)
    _, placed = bring(tmp_path, "llamaindex", "llamaindex_embedding_qa.json")

    assert nodes[REFUNDS].id == "q-1"
    assert nodes[REFUNDS].relevant == {"node-1": 1}
    assert placed[REFUNDS].relevant == {"refunds.md": 1}
