"""Documents to chunks, by LlamaIndex's node parsers. It is imported only when there is work."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from ragate.systems.pgvector.corpus import Document
from ragate.systems.pgvector.html import to_markdown
from ragate.systems.pgvector.settings import Settings

# Scripts without spaces count by character; a long run without a space counts as many tokens.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_TOKEN = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]{{1,20}}|[^\w\s]")
_SENTENCE = re.compile(r"(?<=[.!?])(?=\s)|(?<=[。！？])")
_FRONT = re.compile(r"\A---[ \t]*\n(.*?\n)?---[ \t]*(?:\n|\Z)", re.DOTALL)
_FRONT_TITLE = re.compile(r"^title:[ \t]*(.+?)[ \t]*$", re.MULTILINE)
_HEADING = re.compile(r"^#[ \t]+(.+?)[ \t#]*$", re.MULTILINE)
_ONLY_HEADINGS = re.compile(r"(?:\s*#{1,6}[ \t][^\n]*)*\s*")


@dataclass(frozen=True)
class Chunk:
    """One chunk with its place.

    Attributes:
        title: The document's, "" where it has none or the text holds it.
        section: Headings above the chunk's own, joined by `` > ``.
    """

    doc_id: str
    position: int
    text: str
    title: str = ""
    section: str = ""

    @property
    def searched(self) -> str:
        """What is indexed: a chunk is found by the headings above it too."""
        return "\n".join(part for part in (self.title, self.section, self.text) if part)


def chunk(documents: Iterable[Document], settings: Settings) -> Iterator[Chunk]:
    """Yield the chunks of each document in order; an empty document has none."""
    from llama_index.core.node_parser import MarkdownNodeParser, SentenceSplitter

    # Both functions are given, so that no tokeniser and no sentence model is ever downloaded.
    splitter = SentenceSplitter(
        chunk_size=settings.chunk_size,
        chunk_overlap=settings.chunk_overlap,
        tokenizer=_TOKEN.findall,
        chunking_tokenizer_fn=_SENTENCE.split,
    )
    sections = MarkdownNodeParser() if settings.markdown else None
    for document in documents:
        yield from _chunks_of(document, splitter, sections)


def _chunks_of(document: Document, splitter: Any, sections: Any) -> Iterator[Chunk]:
    title, text = _titled(document)
    position = 0
    for section, body in _sections(text, sections if document.kind != "text" else None):
        # The title of a page is also its first heading: it is not counted twice.
        above = section.removeprefix(title).removeprefix(" > ")
        for piece in splitter.split_text(body):
            if piece.strip():
                own = "" if title and title in piece[: len(title) + 8] else title
                yield Chunk(document.doc_id, position, piece, own, above)
                position += 1


def _titled(document: Document) -> tuple[str, str]:
    """Return (title, text without front matter)."""
    if document.kind == "text":
        return "", document.text
    if document.kind == "html":
        title, text = to_markdown(document.text)
        return title, text
    front = _FRONT.match(document.text)
    text = document.text[front.end() :] if front else document.text
    found = _FRONT_TITLE.search(front.group(1) or "") if front else None
    found = found or _HEADING.search(text)
    return (found.group(1).strip("\"'") if found else ""), text


def _sections(text: str, parser: Any) -> Iterator[tuple[str, str]]:
    """Yield (headings above, text) of each section that says something below its heading."""
    if parser is None:
        yield "", text
        return
    from llama_index.core.schema import Document as LlamaDocument

    nodes = parser.get_nodes_from_documents([LlamaDocument(text=text)])
    found = [
        (" > ".join(part for part in node.metadata["header_path"].split("/") if part), node.text)
        for node in nodes
    ]
    kept = [(path, body) for path, body in found if not _ONLY_HEADINGS.fullmatch(body)]
    yield from kept or [("", text)]
