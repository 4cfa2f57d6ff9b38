"""Pages in other markup than Markdown."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from ragate.errors import ConfigError, NotInstalledError
from ragate.systems.pgvector.corpus import as_markdown, read_corpus, read_texts, to_markdown

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


def pdf(*pages: str) -> bytes:
    """Return a PDF with one line of text on each page."""
    count = len(pages)
    kids = " ".join(f"{4 + 2 * n} 0 R" for n in range(count))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /MediaBox [0 0 612 792] /Kids [{kids}] /Count {count} >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, text in enumerate(pages):
        font = "/Resources << /Font << /F1 3 0 R >> >>"
        drawn = f"BT /F1 12 Tf 72 700 Td ({text}) Tj ET" if text else ""
        objects += [
            f"<< /Type /Page /Parent 2 0 R {font} /Contents {5 + 2 * number} 0 R >>",
            f"<< /Length {len(drawn)} >>\nstream\n{drawn}\nendstream",
        ]
    written, places = "%PDF-1.4\n", []
    for number, each in enumerate(objects, start=1):
        places.append(len(written))
        written += f"{number} 0 obj\n{each}\nendobj\n"
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    size, start = len(objects) + 1, len(written)
    written += f"xref\n0 {size}\n0000000000 65535 f \n{table}"
    written += f"trailer\n<< /Size {size} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n"
    return written.encode()


def folder(root: Path, **files: bytes) -> Path:
    (root / "docs").mkdir()
    for name, content in files.items():
        (root / "docs" / name.replace("_", ".")).write_bytes(content)
    return root


def test_a_pdf_is_read_page_by_page_and_a_scan_is_counted(tmp_path: Path) -> None:
    pytest.importorskip("pypdf", reason="not installed: pypdf")
    folder(
        tmp_path,
        rules_pdf=pdf("Refunds end after 30 days.", "Parcels take a week."),
        scan_pdf=pdf(""),
    )

    corpus = read_corpus(tmp_path, "docs")

    assert corpus.documents[0].text == "Refunds end after 30 days.\n\nParcels take a week."
    assert corpus.left_out_words == "1 PDF without a text"


@pytest.mark.parametrize("content", [b"", b"no PDF", pdf("x")[:60], b"%PDF-1.4\n" + b"\0" * 500])
def test_a_file_that_is_no_pdf_is_named(tmp_path: Path, content: bytes) -> None:
    pytest.importorskip("pypdf", reason="not installed: pypdf")

    with pytest.raises(ConfigError, match=r"a\.pdf: not a PDF that can be read"):
        read_corpus(folder(tmp_path, a_pdf=content), "docs")


def test_without_the_library_a_pdf_is_an_error_and_never_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "pypdf", None)

    with pytest.raises(NotInstalledError) as caught:
        read_corpus(folder(tmp_path, a_pdf=pdf("x"), b_md=b"# B"), "docs")
    assert "ragate[pdf]" in caught.value.remedy


def test_what_is_left_out_is_counted_by_its_ending(tmp_path: Path) -> None:
    folder(tmp_path, a_md=b"# A", b_docx=b"", c_docx=b"", LICENSE=b"")

    assert read_corpus(tmp_path, "docs").left_out_words == "2 .docx, 1 without an ending"


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("{% extends 'base.html' %}<h1>Refunds</h1>{{ title }}<p>30 days", "# Refunds\n\n30 days"),
        ("<?php if ($a->b > 1) { echo 'x'; } ?><p>Text", "Text"),
        ("<p><%= link_to 'a' %>Text {# note #}", "Text"),
        ("<p>Write <code>{{ name }}</code>", "Write {{ name }}"),
        ("{% never closed", "{% never closed"),
    ],
)
def test_html_is_read_without_the_code_of_templates(tmp_path: Path, html: str, text: str) -> None:
    folder(tmp_path, a_html=html.encode())

    assert read_texts(tmp_path, "docs") == {"a.html": text}
