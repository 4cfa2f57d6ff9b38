"""Documents as chunks, and as the passages that are returned around them."""

from __future__ import annotations

from ragate.systems.pgvector.chunking import cut
from ragate.systems.pgvector.corpus import Document
from ragate.systems.pgvector.settings import ParentSettings, Settings

PAGE = "# Refunds\n\nWithin 30 days.\n\n## Late refunds\n\nNo refund after that.\n"
DOCUMENTS = [Document("refunds.md", "markdown", PAGE, "hash")]


def test_a_title_of_the_front_matter_is_the_chunks_own() -> None:
    page = f"---\ntitle: Money back\n---\n{PAGE}"

    (first, *_), _ = cut([Document("a.md", "markdown", page, "hash")], Settings(corpus="docs"))

    assert first.title == "Money back"
    assert first.text.startswith("# Refunds")


def test_passages_are_kept_only_where_they_are_returned_in_place_of_chunks() -> None:
    chunks, none = cut(DOCUMENTS, Settings(corpus="docs"))
    same, sections = cut(DOCUMENTS, Settings(corpus="docs", parents=ParentSettings(use="section")))

    assert none == []
    assert same == chunks
    assert [passage.text for passage in sections] == [chunk.text for chunk in chunks]
    assert [chunk.parent for chunk in chunks] == [0, 1]
