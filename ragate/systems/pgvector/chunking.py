"""Documents to chunks, by LlamaIndex's node parsers. It is imported only when there is work."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

from ragate.installed import refuse_other_version
from ragate.systems.pgvector.corpus import Document, to_markdown
from ragate.systems.pgvector.metadata import FRONT
from ragate.systems.pgvector.settings import Settings

# Scripts without spaces count by character; a long run without a space counts as many tokens.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_TOKEN = re.compile(rf"[{_UNSPACED}]|[^\W{_UNSPACED}]{{1,20}}|[^\w\s]")
_SENTENCE = re.compile(r"(?<=[.!?])(?=\s)|(?<=[。！？])")
_FRONT_TITLE = re.compile(r"^title:[ \t]*(.+?)[ \t]*$", re.MULTILINE)
_HEADING = re.compile(r"^#[ \t]+(.+?)[ \t#]*$", re.MULTILINE)
_ONLY_HEADINGS = re.compile(r"(?:\s*#{1,6}[ \t][^\n]*)*\s*")


@dataclass(frozen=True)
class Chunk:
    """One chunk, or a larger passage that is returned in its place, with its place.

    Attributes:
        title: The document's, "" where it has none or the text holds it.
        section: Headings above the chunk's own, joined by `` > ``.
        parent: Position of the larger passage that holds it, among those of the document.
    """

    doc_id: str
    position: int
    text: str
    title: str = ""
    section: str = ""
    parent: int = 0

    def searched(self, prefix: str) -> str:
        """Return what is indexed: with "headings", a chunk is found by those above it too."""
        above = {"none": (), "title": (self.title,), "headings": (self.title, self.section)}
        return "\n".join(part for part in (*above[prefix], self.text) if part)


def cut(documents: Iterable[Document], settings: Settings) -> tuple[list[Chunk], list[Chunk]]:
    """Return (chunks, parents) of all documents in order; an empty document has none.

    Parents are the passages that are returned in place of the chunks in them; without
    ``[system.parents]`` there are none.

    Raises:
        NotInstalledError: LlamaIndex is not installed, or another version.
    """
    refuse_other_version("llama-index-core")
    from llama_index.core.node_parser import MarkdownNodeParser

    small = _splitter(settings.chunk_size, settings.chunk_overlap)
    large = _splitter(settings.parents.size, 0) if settings.parents.use == "window" else None
    sections = MarkdownNodeParser() if settings.markdown else None
    chunks: list[Chunk] = []
    parents: list[Chunk] = []
    for document in documents:
        passages = list(_parents_of(document, large, sections))
        chunks += _children_of(passages, small)
        if settings.parents.use != "none":
            parents += (
                replace(passage, title=_title_for(passage.title, passage.text))
                for passage in passages
            )
    return chunks, parents


def _splitter(size: int, overlap: int) -> Any:
    from llama_index.core.node_parser import SentenceSplitter

    # Both functions are given, so that no tokeniser and no sentence model is ever downloaded.
    return SentenceSplitter(
        chunk_size=size,
        chunk_overlap=overlap,
        tokenizer=_TOKEN.findall,
        chunking_tokenizer_fn=_SENTENCE.split,
    )


def _parents_of(document: Document, splitter: Any, sections: Any) -> Iterator[Chunk]:
    """Yield the sections of a document, cut to size where there is a `splitter`."""
    title, text = _titled(document)
    position = 0
    for section, body in _sections(text, sections if document.kind != "text" else None):
        # The title of a page is also its first heading: it is not counted twice.
        above = section.removeprefix(title).removeprefix(" > ")
        for piece in splitter.split_text(body) if splitter else [body]:
            if piece.strip():
                yield Chunk(document.doc_id, position, piece, title, above)
                position += 1


def _children_of(parents: Iterable[Chunk], splitter: Any) -> Iterator[Chunk]:
    doc_id, position = "", 0
    for parent in parents:
        position = position if parent.doc_id == doc_id else 0
        doc_id = parent.doc_id
        for piece in splitter.split_text(parent.text):
            if piece.strip():
                title = _title_for(parent.title, piece)
                yield Chunk(doc_id, position, piece, title, parent.section, parent.position)
                position += 1


def _title_for(title: str, piece: str) -> str:
    """Return the title, "" where the piece begins with it."""
    return "" if title and title in piece[: len(title) + 8] else title


def _titled(document: Document) -> tuple[str, str]:
    """Return (title, text without front matter)."""
    if document.kind == "text":
        return "", document.text
    if document.kind == "html":
        return to_markdown(document.text)
    front = FRONT.match(document.text)
    text = document.text[front.end() :] if front else document.text
    heading = _FRONT_TITLE.search(front.group(1) or "") if front else None
    heading = heading or _HEADING.search(text)
    return (heading.group(1).strip("\"'") if heading else ""), text


def _sections(text: str, parser: Any) -> Iterator[tuple[str, str]]:
    """Yield (headings above, text) of each section that says something below its heading."""
    if parser is None:
        yield "", text
        return
    from llama_index.core.schema import Document as LlamaDocument

    nodes = parser.get_nodes_from_documents([LlamaDocument(text=text)])
    sections = [
        (" > ".join(part for part in node.metadata["header_path"].split("/") if part), node.text)
        for node in nodes
    ]
    telling = [(path, body) for path, body in sections if not _ONLY_HEADINGS.fullmatch(body)]
    yield from telling or [("", text)]
