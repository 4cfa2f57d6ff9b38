"""The documents of a project, under every name that a reply may call them by."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from ragate.cli.init.documents import IdSpelling, KnownDocuments, folder_listing, table_listings
from tests.unit.cli.init.init_factories import write

PAGES = {"kb/a/refunds.md": "# Money back\n\nText.", "kb/shipping.md": "# Parcels\n\nText."}
LONG = "Parcels inside the country take two days, abroad they take a week."


def of_folder(root: Path) -> KnownDocuments:
    write(root, PAGES)
    return KnownDocuments([folder_listing(root, "kb")], frozenset())


@pytest.mark.parametrize(
    ("ids", "name", "spelt"),
    [
        (["a/refunds.md", "shipping.md"], "path", "a/refunds.md"),
        (["kb/a/refunds.md"], "path below the root", "kb/a/refunds.md"),
        (["refunds.md"], "file name", "refunds.md"),
        (["a/refunds", "shipping"], "path without its ending", "a/refunds"),
        (["Money back"], "title", "Money back"),
        (["/srv/rag/kb/a/refunds.md"], "path", "a/refunds.md"),
    ],
)
def test_pages_are_known_however_a_reply_calls_them(
    tmp_path: Path, ids: list[str], name: str, spelt: str
):
    spelling = of_folder(tmp_path).spelling(ids)

    assert (spelling.share, spelling.name) == (1.0, name)
    assert spelling.absolute == ids[0].startswith("/")
    assert spelt in {document.doc_id for document in spelling.spelt()}


@pytest.mark.parametrize(("ids", "cut"), [(["shipping.md::3"], "::"), (["shipping.md#2"], "#")])
def test_the_end_that_names_a_chunk_is_cut(tmp_path: Path, ids: list[str], cut: str):
    assert of_folder(tmp_path).spelling(ids).cut == cut


def test_the_documents_of_a_golden_set_are_known_before_any_is_read():
    def unread():
        raise AssertionError
        yield

    known = KnownDocuments(unread(), frozenset({"q.md"}))

    assert known.spelling(["q.md"]) == IdSpelling(1.0)


def test_ids_of_nobody_are_unknown(tmp_path: Path):
    assert of_folder(tmp_path).share(["x.md", "y.md"]) == 0.0


def database(path: Path) -> Path:
    with closing(sqlite3.connect(path)) as base, base:
        base.execute("CREATE TABLE articles (article_id INTEGER, slug TEXT, title TEXT, body TEXT)")
        rows = [
            (number, f"s-{number}", f"T{number}", LONG + str(number)) for number in range(11, 14)
        ]
        base.executemany("INSERT INTO articles VALUES (?, ?, ?, ?)", rows)
        base.execute("CREATE TABLE users (id INTEGER, name TEXT)")
        base.execute("INSERT INTO users VALUES (1, 'a'), (2, 'b')")
    return path


def test_the_rows_of_a_database_are_documents_under_each_column_that_tells_them_apart(
    tmp_path: Path,
):
    (listing,) = table_listings(database(tmp_path / "app.db"), "app.db")
    spelling = KnownDocuments([listing], frozenset()).spelling(["12", "13"])

    assert listing.where == "the table articles of app.db"
    assert spelling.name == "column article_id"
    assert spelling.spelt()[0].text.startswith("# T11\n\nParcels")
    assert KnownDocuments([listing], frozenset()).share(["s-11"]) == 1.0


@pytest.mark.parametrize("name", ["articles.json", "articles.jsonl", "articles.csv"])
def test_rows_of_a_file_are_documents(tmp_path: Path, name: str):
    rows = [{"id": f"d{n}", "text": f"{LONG} {n}"} for n in range(3)]
    texts = {
        "json": json.dumps(rows),
        "jsonl": "".join(f"{json.dumps(row)}\n" for row in rows),
        "csv": "id,text\n" + "".join(f'{row["id"]},"{row["text"]}"\n' for row in rows),
    }
    path = tmp_path / name
    path.write_text(texts[name.rpartition(".")[2]])

    (listing,) = table_listings(path, name)

    assert [document.doc_id for document in listing.documents] == ["d0", "d1", "d2"]


@pytest.mark.parametrize("content", [b"", b"SQLite format 3\0 broken", b"\0" * 5000, b"[1]"])
@pytest.mark.parametrize("name", ["a.db", "a.json"])
def test_a_file_that_is_no_table_has_no_documents(tmp_path: Path, name: str, content: bytes):
    (tmp_path / name).write_bytes(content)

    assert list(table_listings(tmp_path / name, name)) == []


def test_no_link_and_no_pipe_is_read(tmp_path: Path):
    import os

    (tmp_path / "linked.db").symlink_to(database(tmp_path / "real.db"))
    os.mkfifo(tmp_path / "pipe.db")

    for name in ("linked.db", "pipe.db"):
        assert list(table_listings(tmp_path / name, name)) == []
