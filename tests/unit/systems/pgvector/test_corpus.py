"""Pages in other markup than Markdown."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ragate.systems.pgvector.corpus import as_markdown, read_corpus, to_markdown

RST = """=======
Refunds
=======

Within 30 days.

Late refunds
------------

No.

* a
* b

Again
-----
"""
NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "source": ["# Refunds\n", "\n", "Within 30 days."]},
        {"cell_type": "code", "source": "print(1)", "outputs": [{"text": "a secret"}]},
    ]
}


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        (
            RST,
            "rst",
            "# Refunds\n\nWithin 30 days.\n\n## Late refunds\n\nNo.\n\n* a\n* b\n\n## Again\n",
        ),
        ("plain\n----\nrow", "rst", "plain\n----\nrow"),
        ("= Refunds\n\nText.\n\n== Late ==\n", "asciidoc", "# Refunds\n\nText.\n\n## Late\n"),
        (
            json.dumps(NOTEBOOK),
            "notebook",
            "# Refunds\n\nWithin 30 days.\n\n```\nprint(1)\n```",
        ),
        ("# Kept", "markdown", "# Kept"),
    ],
)
def test_headings_stay_headings(text: str, kind: str, expected: str):
    assert as_markdown(text, kind) == (expected, "markdown")


@pytest.mark.parametrize("text", ["{", "[]", "[" * 100_000, '{"cells": 3}', '{"cells": [1]}'])
def test_a_notebook_that_is_none_is_plain_text(text: str):
    assert as_markdown(text, "notebook") == (text, "text")


def test_they_are_documents_of_a_folder(tmp_path: Path):
    for name in ("a.rst", "b.adoc", "c.ipynb"):
        (tmp_path / "docs").mkdir(exist_ok=True)
        (tmp_path / "docs" / name).write_text("x")

    documents = read_corpus(tmp_path, "docs").documents

    assert [document.doc_id for document in documents] == ["a.rst", "b.adoc", "c.ipynb"]


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<p>a<p>b", "a\n\nb"),
        ("<h2 id=x>Head</h2>text", "## Head\n\ntext"),
        ("<ul><li>one<li>two</ul>", "- one\n- two"),
        ("<table><tr><td>a</td><td>b</td></tr></table>", "a b"),
        ("a &lt;b&gt; &amp; c&nbsp;d", "a <b> & c\xa0d"),
        ("<script>x<p>y</script>z", "z"),
        ("<nav>menu <nav>inner</nav> more</nav>body", "body"),
        ("<head><title>T</title><body>text", "text"),
        ("<script>never closed", ""),
        ("", ""),
    ],
)
def test_a_page_becomes_text_with_its_headings(html: str, text: str) -> None:
    assert to_markdown(html)[1] == text


def test_the_title_is_told_apart_from_the_text() -> None:
    page = "<html><head><title> The\n title </title></head><body>x <svg><title>no</title></svg>"

    assert to_markdown(page) == ("The title", "x")
