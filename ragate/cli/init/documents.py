"""The documents of a project, under every name that a reply may call them by."""

import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from typing import Any

from ragate.errors import DatasetError, RagateError
from ragate.outputs.seen_reply import LIKELY
from ragate.support.records import records
from ragate.systems.pgvector.corpus import Document, read_corpus

DATABASES = frozenset({".db", ".sqlite", ".sqlite3"})
TABLES = frozenset({".json", ".jsonl", ".csv"})
MAX_BYTES = 64 * 1024 * 1024
MOST_ROWS = 5000
_PROSE = 40  # characters: the mean length from which a column is the text of documents
_CUTS = ("::", "#", "@", "|")
_TITLES = ("title", "headline", "heading", "subject", "name", "question", "topic", "label")
_HEADING = re.compile(r"^#{1,3}[ \t]+(.+?)[ \t#]*$", re.MULTILINE)


@dataclass(frozen=True)
class Listing:
    """Documents that belong together.

    Attributes:
        where: What holds them, for people: ``kb/``, ``the table articles of app.db``.
        folder: Where they are files; "" otherwise.
        names: By spelling, what each document is called; "" where it has no such name.
    """

    where: str
    documents: tuple[Document, ...]
    names: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    folder: str = ""


@dataclass(frozen=True)
class IdSpelling:
    """How a reply calls documents.

    Attributes:
        share: Of its ids, how many are documents.
        name: A key of the listing's `names`; "" for the ids of a golden set.
        cut: What follows this text in an id names a part of the document.
        absolute: Ids are paths of this machine, through the listing's folder.
    """

    share: float
    listing: Listing | None = None
    name: str = ""
    cut: str = ""
    absolute: bool = False

    def spelt(self) -> tuple[Document, ...]:
        """Return the documents under the names that the reply calls them by."""
        if self.listing is None:
            return ()
        named = zip(self.listing.documents, self.listing.names[self.name], strict=True)
        return tuple(replace(document, doc_id=name) for document, name in named if name)


class KnownDocuments:
    """What a project has of documents, read as far as replies ask for it."""

    def __init__(self, listings: Iterable[Listing], golden: frozenset[str]) -> None:
        self._unread = iter(listings)
        self._listings: list[Listing] = []
        self._golden = golden

    @property
    def first(self) -> Listing | None:
        """The likeliest listing."""
        return next(self._all(), None)

    def share(self, values: Sequence[str]) -> float:
        """Return how many of some ids are documents."""
        return self.spelling(values).share

    def spelling(self, values: Sequence[str]) -> IdSpelling:
        """Return how documents are called by some ids, as well as is known."""
        best = IdSpelling(0.0)
        for cut in ("", *_CUTS):
            ids = [value.partition(cut)[0] if cut else value for value in values]
            if cut and ids == list(values):
                continue
            share = sum(name in self._golden for name in ids) / max(1, len(ids))
            best = max(best, IdSpelling(share, cut=cut), key=lambda each: each.share)
            if best.share < LIKELY:
                for listing in self._all():
                    found = _in_listing(ids, listing, cut)
                    best = max(best, found, key=lambda each: each.share)
                    if best.share >= LIKELY:
                        break
        return best

    def _all(self) -> Iterator[Listing]:
        yield from self._listings
        for listing in self._unread:
            self._listings.append(listing)
            yield listing


def _in_listing(ids: Sequence[str], listing: Listing, cut: str) -> IdSpelling:
    count = max(1, len(ids))
    spellings = [
        IdSpelling(sum(one in known for one in ids) / count, listing, name, cut)
        for name, names in listing.names.items()
        if (known := set(names) - {""})
    ]
    if listing.folder:
        paths = set(listing.names["path"])
        through = [one.replace("\\", "/").rpartition(f"/{listing.folder}/")[2] for one in ids]
        hits = sum(path in paths and path != one for path, one in zip(through, ids, strict=True))
        spellings.append(IdSpelling(hits / count, listing, "path", cut, absolute=True))
    return max(spellings, key=lambda each: each.share, default=IdSpelling(0.0))


def folder_listing(root: Path, folder: str) -> Listing:
    """Return the pages of a folder below `root`.

    Raises:
        ConfigError: it cannot be read as a corpus.
    """
    documents = read_corpus(root, folder).documents
    paths = [PurePosixPath(document.doc_id) for document in documents]
    titles = [_HEADING.search(document.text) for document in documents]
    names = {
        "path": [str(path) for path in paths],
        "path below the root": [f"{folder}/{path}" for path in paths],
        "file name": _unique(path.name for path in paths),
        "path without its ending": [str(path.with_suffix("")) for path in paths],
        "file name without its ending": _unique(path.stem for path in paths),
        "title": _unique(title[1].strip() if title else "" for title in titles),
    }
    return Listing(
        f"{folder}/", documents, {key: tuple(all_) for key, all_ in names.items()}, folder
    )


def table_listings(path: Path, shown: str) -> Iterator[Listing]:
    """Yield the tables of a file whose rows have a text: SQLite, JSON, JSON Lines, CSV."""
    if path.is_symlink() or not path.is_file() or path.stat().st_size > MAX_BYTES:
        return
    if path.suffix.lower() in DATABASES:
        for table, rows in _database_tables(path):
            if listing := _of_rows(rows, f"the table {table} of {shown}"):
                yield listing
        return
    rows = []
    try:
        for _, row in records(path, error=DatasetError, max_bytes=MAX_BYTES):
            rows.append(row)
            if len(rows) == MOST_ROWS:
                break
    except RagateError:
        return
    if listing := _of_rows(rows, shown):
        yield listing


def _database_tables(path: Path) -> Iterator[tuple[str, list[Mapping[str, Any]]]]:
    """Yield the tables of a database that is only read: no view, no trigger, no extension."""
    try:
        with closing(sqlite3.connect(f"{path.as_uri()}?mode=ro&immutable=1", uri=True)) as base:
            base.execute("PRAGMA trusted_schema = OFF")
            base.set_progress_handler(lambda: 1, 50_000_000)  # a query that never ends is given up
            base.row_factory = sqlite3.Row
            names = base.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
            for (name,) in names[:50]:
                quoted = '"{}"'.format(str(name).replace('"', '""'))
                rows = base.execute(f"SELECT * FROM {quoted} LIMIT {MOST_ROWS}")  # noqa: S608
                yield str(name), [dict(row) for row in rows]
    except (sqlite3.Error, ValueError, OSError):
        return


def _of_rows(rows: Sequence[Mapping[str, Any]], where: str) -> Listing | None:
    """Return rows as documents, under each column whose values are all different."""
    if len(rows) < 2:
        return None
    columns = [key for key in rows[0] if all(key in row for row in rows)]
    lengths = {key: _length([row[key] for row in rows]) for key in columns}
    body = max(lengths, key=lambda key: lengths[key], default="")
    if not body or lengths[body] < _PROSE:
        return None
    names = {
        f"column {key}": tuple(str(row[key]) for row in rows)
        for key in columns
        if key != body and _are_ids([row[key] for row in rows])
    }
    if not names:
        return None
    title = next((key for key in _TITLES if key in columns), "")
    first = next(iter(names.values()))
    documents = tuple(
        Document(
            name, "markdown", f"# {row[title]}\n\n{row[body]}" if title else str(row[body]), ""
        )
        for name, row in zip(first, rows, strict=True)
    )
    return Listing(where, documents, names)


def _length(values: Sequence[Any]) -> float:
    texts = [value for value in values if isinstance(value, str)]
    return sum(map(len, texts)) / len(values) if 2 * len(texts) > len(values) else 0.0


def _are_ids(values: Sequence[Any]) -> bool:
    plain = all(isinstance(v, str | int) and not isinstance(v, bool) and v != "" for v in values)
    return plain and len(set(values)) == len(values)


def _unique(names: Iterable[str]) -> list[str]:
    """Return names, "" for those that two documents have."""
    listed = list(names)
    return [name if listed.count(name) == 1 else "" for name in listed]
