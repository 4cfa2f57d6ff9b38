"""Reading the corpus: a folder of pages, or a BEIR ``corpus.jsonl``."""

import hashlib
import json
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from ragate.core.hashing import digest
from ragate.errors import ConfigError
from ragate.files.foreign_files import decode, inside, read_bytes
from ragate.files.strict_json import read_lines
from ragate.systems.pgvector.pdf import pdf_text

_SKIPPED = frozenset({"script", "style", "template", "noscript", "svg", "nav", "head"})
_BLOCK_NAMES = """
p div section article main header footer aside ul ol dl dt dd table tr blockquote pre figure
figcaption hr br form details summary
"""
_BLOCKS = frozenset(_BLOCK_NAMES.split())
_SPACES = re.compile(r"[ \t\r\f\v]+")
_LINES = re.compile(r" ?\n[ \n]*\n ?| ?\n ?")
# Pages in other markup than Markdown, as Markdown: headings stay headings.

# Suffixes by the kind of their text.
KINDS = {".rst": "rst", ".adoc": "asciidoc", ".asciidoc": "asciidoc", ".ipynb": "notebook"}
_EXAMPLE = re.compile(r"<(pre|code)\b")
_TEMPLATE = re.compile(
    r"\{%.{0,500}?%\}|\{\{.{0,500}?\}\}|\{#.{0,500}?#\}|<%.{0,500}?%>|<\?php.{0,5000}?\?>",
    re.DOTALL,
)
_UNDERLINE = re.compile(r"([=\-~^\"'*+#.:_])\1{2,}")
_TITLE = re.compile(r"(={1,6})[ \t]+(\S.*)")


def as_markdown(text: str, kind: str) -> tuple[str, str]:
    """Return text and kind of a page: ``markdown`` for what is turned into it, else as it came.

    A notebook gives its texts and its code, without what the code printed; a file of that name
    that is none is plain text.
    """
    if kind == "html":
        return _without_templates(text), kind
    if kind == "rst":
        return "\n".join(_with_headings(text.split("\n"))), "markdown"
    if kind == "asciidoc":
        return "\n".join(map(_heading, text.split("\n"))), "markdown"
    if kind != "notebook":
        return text, kind
    try:
        return "\n\n".join(_cells(json.loads(text))), "markdown"
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return text, "text"


def _without_templates(text: str) -> str:
    """Return HTML without the code of templates (Jinja, Django, PHP, ERB), but in examples."""
    parts, at = [], 0
    while example := _EXAMPLE.search(text, at):
        closing = text.find(f"</{example[1]}", example.end())
        if closing < 0:
            break
        parts += [_TEMPLATE.sub(" ", text[at : example.start()]), text[example.start() : closing]]
        at = closing
    return "".join([*parts, _TEMPLATE.sub(" ", text[at:])])


def _with_headings(lines: list[str]) -> Iterator[str]:
    """Yield lines with each title marked by the depth of its underline, an overline left out."""
    levels: list[str] = []
    number = 0
    while number < len(lines):
        line = lines[number]
        below = lines[number + 1].rstrip() if number + 1 < len(lines) else ""
        if _UNDERLINE.fullmatch(line.rstrip()) and below and not _UNDERLINE.fullmatch(below):
            after = lines[number + 2].rstrip() if number + 2 < len(lines) else ""
            if after == line.rstrip():  # an overline
                number += 1
                continue
        if _is_title(line, below):
            mark = below[0]
            levels += [] if mark in levels else [mark]
            yield f"{'#' * min(6, levels.index(mark) + 1)} {line.strip()}"
            number += 2
            continue
        yield line
        number += 1


def _is_title(line: str, below: str) -> bool:
    title = line.strip()
    marked = bool(title) and not _UNDERLINE.fullmatch(title) and bool(_UNDERLINE.fullmatch(below))
    return marked and len(below) >= len(title) and not line.startswith((" ", "\t", "*", "-"))


def _heading(line: str) -> str:
    match = _TITLE.fullmatch(line)
    return f"{'#' * len(match[1])} {match[2].rstrip('= ')}" if match else line


def _cells(notebook: dict[str, list[dict[str, object]]]) -> Iterator[str]:
    for cell in notebook["cells"]:
        source = cell.get("source", "")
        text = "".join(map(str, source)) if isinstance(source, list) else str(source)
        if cell.get("cell_type") == "code":
            yield f"```\n{text}\n```"
        elif cell.get("cell_type") == "markdown":
            yield text


SUFFIXES = {".md": "markdown", ".markdown": "markdown", ".html": "html", ".htm": "html",
            ".txt": "text", **KINDS}  # fmt: skip
PDF = ".pdf"
MAX_PAGE_BYTES = 16 * 1024 * 1024
MAX_CORPUS_BYTES = 2 * 1024 * 1024 * 1024
WHERE = "[system] corpus"
_MOST_ENDINGS = 6


@dataclass(frozen=True)
class Document:
    """One document as it was found; `hash` changes whenever its chunks could.

    Attributes:
        kind: ``markdown``, ``html`` or ``text``.
        metadata: Of a BEIR row; a page has its own in its text.
    """

    doc_id: str
    kind: str
    text: str
    hash: str
    metadata: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Corpus:
    """All documents, in order of their ids.

    Attributes:
        left_out: How many files were no documents, by their ending.
    """

    documents: tuple[Document, ...]
    left_out: Mapping[str, int] = field(default_factory=dict)

    @property
    def hash(self) -> str:
        return digest([(document.doc_id, document.hash) for document in self.documents])

    @property
    def left_out_words(self) -> str:
        """What was left out, for people: ``2 .docx, 1 .png``; "" for nothing."""
        counted = sorted(self.left_out.items(), key=lambda pair: (-pair[1], pair[0]))
        return ", ".join(f"{count} {ending}" for ending, count in counted[:_MOST_ENDINGS])


def read_corpus(root: Path, folder: str) -> Corpus:
    """Return the corpus in `folder`, a path relative to `root`.

    Raises:
        ConfigError: the folder is absent, outside `root` or empty, or a file in it cannot be
            read: a link that leads out of it, no regular file, too large, not UTF-8, or a line of
            ``corpus.jsonl`` that is no document.
    """
    top = inside(root, folder, where=WHERE, error=ConfigError)
    if not top.is_dir():
        raise ConfigError(
            f"{WHERE} = {folder!r}: there is no folder {top}",
            remedy="write the folder of your documents, relative to ragate.toml",
        )
    beir = top / "corpus.jsonl"
    left_out: Counter[str] = Counter()
    unsorted = _read_beir(beir) if beir.exists() else _read_pages(top, left_out)
    documents = tuple(sorted(unsorted, key=lambda one: one.doc_id))
    if not documents:
        raise ConfigError(
            f"{WHERE} = {folder!r}: {top} holds no document",
            remedy=f"put a corpus.jsonl there, or files with {', '.join([*SUFFIXES, PDF])}",
        )
    return Corpus(documents, left_out)


def read_texts(root: Path, folder: str) -> dict[str, str]:
    """Return the text of each document of the corpus in `folder`, by id; HTML without its tags.

    Raises:
        ConfigError: as `read_corpus`.
    """
    pages = read_corpus(root, folder).documents
    return {page.doc_id: readable(page.text, page.kind) for page in pages}


def readable(text: str, kind: str) -> str:
    """Return the text of a page as a reader sees it."""
    text, kind = as_markdown(text, kind)
    return to_markdown(text)[1] if kind == "html" else text


def _read_pages(top: Path, left_out: Counter[str]) -> Iterator[Document]:
    for path in _pages(top, left_out):
        name = path.relative_to(top).as_posix()
        try:
            name.encode()
        except UnicodeEncodeError as error:
            raise ConfigError(f"{WHERE}: the name of {name!r} is not UTF-8") from error
        if not path.resolve().is_relative_to(top):
            raise ConfigError(
                f"{WHERE}: {path} is a link that leads out of the corpus, to {path.resolve()}",
                remedy="remove the link, or put a copy of the page there",
            )
        content = read_bytes(path, error=ConfigError, max_bytes=MAX_PAGE_BYTES)
        if path.suffix.lower() == PDF:
            text = pdf_text(content, str(path))
            if not text:
                left_out["PDF without a text"] += 1
            yield _document(name, "text", text, where=str(path))
            continue
        text = decode(content, where=str(path), error=ConfigError)
        text, kind = as_markdown(text.replace("\r\n", "\n"), SUFFIXES[path.suffix.lower()])
        yield _document(name, kind, text, where=str(path))


def _pages(top: Path, left_out: Counter[str]) -> Iterator[Path]:
    """Yield the files that are pages; hidden ones and linked folders are passed over.

    Args:
        left_out: Counts the others by their ending.
    """
    for folder, folders, files in os.walk(top):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        for name in sorted(files):
            ending = Path(name).suffix.lower()
            if not name.startswith(".") and ending in {*SUFFIXES, PDF}:
                yield Path(folder, name)
            elif not name.startswith("."):
                left_out[ending or "without an ending"] += 1


def _read_beir(path: Path) -> Iterator[Document]:
    if not path.resolve().is_relative_to(path.parent):
        raise ConfigError(f"{WHERE}: {path} is a link that leads out of the corpus")
    lines: dict[str, int] = {}
    for number, row in read_lines(path, error=ConfigError, max_bytes=MAX_CORPUS_BYTES):
        where = f"{path}:{number}"
        doc_id = _field(row, "_id", where)
        if doc_id in lines:
            raise ConfigError(f"{where}: _id {doc_id!r} stands on line {lines[doc_id]} already")
        lines[doc_id] = number
        title, text = _field(row, "title", where, default=""), _field(row, "text", where)
        fields = row.get("metadata")
        if not isinstance(fields, dict):
            fields = {}
        yield _document(doc_id, "text", f"{title}\n{text}".strip(), where=where, metadata=fields)


def _field(row: Any, key: str, where: str, *, default: str | None = None) -> str:
    if not isinstance(row, dict):
        raise ConfigError(f"{where}: not an object with _id, title and text")
    value = row.get(key, default)
    if key == "_id" and isinstance(value, int) and not isinstance(value, bool):
        value = str(value)
    if not isinstance(value, str) or (key == "_id" and not value):
        raise ConfigError(f"{where}: {key!r} is {value!r}, not a text")
    return value


def _document(
    doc_id: str, kind: str, text: str, *, where: str, metadata: Mapping[str, Any] | None = None
) -> Document:
    if "\0" in text or "\0" in doc_id:
        raise ConfigError(
            f"{where}: holds a NUL character, so it is not text",
            remedy="move it out of the corpus, or give it another ending",
        )
    content = hashlib.sha256(f"{kind}\0{doc_id}\0{text}".encode()).hexdigest()[:32]
    if metadata:
        content = digest([content, dict(metadata)])
    return Document(doc_id, kind, text, content, metadata or {})


# HTML to Markdown-like text: headings stay headings, so that pages split where they should.


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.title = ""
        self.parts: list[str] = []
        self._skipping = ""
        self._in_title = False
        self._depth = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        del attrs
        if tag == "title":
            self._in_title = not self.title
        if self._skipping:
            self._depth += tag == self._skipping
        elif tag in _SKIPPED:
            self._skipping, self._depth = tag, 1
        else:
            self.parts.append(_opening(tag))

    def handle_endtag(self, tag: str) -> None:
        if tag == "title":
            self._in_title = False
        if self._skipping:
            self._depth -= tag == self._skipping
            # A page that never closes its head must not lose its body.
            if self._depth <= 0 or (self._skipping == "head" and tag == "body"):
                self._skipping = ""
        elif tag in _BLOCKS or re.fullmatch(r"h[1-6]", tag):
            self.parts.append("\n\n")
        elif tag in {"td", "th"}:
            self.parts.append(" ")

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title += data
        elif not self._skipping:
            self.parts.append(data)


def _opening(tag: str) -> str:
    if re.fullmatch(r"h[1-6]", tag):
        return f"\n\n{'#' * int(tag[1])} "
    if tag == "li":
        return "\n- "
    return "\n\n" if tag in _BLOCKS else ""


def to_markdown(html: str) -> tuple[str, str]:
    """Return (title, text) of a page: scripts, styles, navigation and tags are gone.

    Headings become Markdown headings and list items lines with a dash.
    """
    reader = _Reader()
    # The parser knows no optional tags: a body ends the head, closed or not.
    reader.feed(re.sub(r"(?i)<body[\s>]", lambda match: f"</head>{match.group()}", html, count=1))
    reader.close()
    text = _SPACES.sub(" ", "".join(reader.parts))
    text = _LINES.sub(lambda match: "\n\n" if match.group().count("\n") > 1 else "\n", text)
    return " ".join(reader.title.split()), text.strip()
