"""The texts of a corpus, without an index: for those who read it, not for retrieval."""

from __future__ import annotations

from pathlib import Path

from ragate.systems.pgvector.corpus.files import read_corpus
from ragate.systems.pgvector.corpus.html import to_markdown


def read_texts(root: Path, folder: str) -> dict[str, str]:
    """Return the text of each document of the corpus in `folder`, by id; HTML without its tags.

    Raises:
        ConfigError: as `read_corpus`.
    """
    return {one.doc_id: readable(one.text, one.kind) for one in read_corpus(root, folder).documents}


def readable(text: str, kind: str) -> str:
    """Return the text of a page as a reader sees it."""
    return to_markdown(text)[1] if kind == "html" else text
