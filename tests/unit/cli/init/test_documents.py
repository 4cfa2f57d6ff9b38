"""The documents of a project, under every name that a reply may call them by."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.cli.init.documents import KnownDocuments, known_documents
from ragate.cli.init.survey import look
from ragate.models import Sample
from tests.unit.cli.init.init_factories import write

PAGES = {"kb/a/refunds.md": "# Money back\n\nText.", "kb/shipping.md": "# Parcels\n\nText."}


@pytest.mark.parametrize(
    ("ids", "how", "spelt"),
    [
        (["a/refunds.md", "shipping.md"], "path", "a/refunds.md"),
        (["kb/a/refunds.md"], "path below the root", "kb/a/refunds.md"),
        (["refunds.md"], "file name", "refunds.md"),
        (["a/refunds", "shipping"], "path without its ending", "a/refunds"),
        (["/srv/rag/kb/a/refunds.md"], "path", "a/refunds.md"),
        (["C:\\rag\\kb\\a\\refunds.md"], "path", "a/refunds.md"),
    ],
)
def test_pages_are_known_however_a_reply_calls_them(
    tmp_path: Path, ids: list[str], how: str, spelt: str
):
    spelling = known_documents(look(write(tmp_path, PAGES))).spelling(ids)

    assert (spelling.share, spelling.how) == (1.0, f"kb/, by {how}")
    assert spelling.relative_to == ("kb" if "rag" in ids[0] else "")
    assert spelt in {document.doc_id for document in spelling.documents}


def test_the_documents_of_a_golden_set_are_known():
    known = KnownDocuments(samples=(Sample(id="q", query="Why?", relevant={"q.md": 1}),))

    assert known.spelling(["q.md"]).how == "in the golden set"


def test_ids_of_nobody_are_unknown(tmp_path: Path):
    assert known_documents(look(write(tmp_path, PAGES))).share(["x.md", "y.md"]) == 0.0
