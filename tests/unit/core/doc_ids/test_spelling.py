"""In what two ids of one document differ."""

from __future__ import annotations

import pytest

from ragate.core.doc_ids.spelling import Spelling, differences, folded, tails

FOLDER, EXTENSION, CASE = Spelling.FOLDER, Spelling.EXTENSION, Spelling.CASE
UNICODE, CHUNK, URL = Spelling.UNICODE, Spelling.CHUNK, Spelling.URL

SPELLINGS = [
    ("billing/refunds.md", "refunds.md", (FOLDER,)),
    ("refunds.md", "kb/billing/refunds.md", (FOLDER,)),
    ("refunds.md", "/srv/kb/refunds.md", (FOLDER,)),
    ("refunds.md", "refunds", (EXTENSION,)),
    ("refunds.md", "refunds.html", (EXTENSION,)),
    ("Refunds.md", "refunds.md", (CASE,)),
    ("m\u00fcll.md", "mu\u0308ll.md", (UNICODE,)),
    ("refunds.md", "refunds.md#3", (CHUNK,)),
    ("refunds.md", "refunds.md::chunk-12", (CHUNK,)),
    ("refunds.md", "refunds.md_part_0_chunk_2", (CHUNK,)),
    ("refunds", "refunds-0012", (CHUNK,)),
    ("refunds.md", "refunds.md:10-42", (CHUNK,)),
    ("docs/refunds", "https://x.example/docs/refunds/", (URL,)),
    ("https://x.example/refunds", "http://www.x.example/refunds?lang=en", (URL,)),
    ("my page.md", "my%20page.md", (URL,)),
    ("kb/refunds.md", "kb\\refunds.md", (URL,)),
    ("./refunds.md", "refunds.md", (URL,)),
    ("billing/refunds.md", "https://x.example/help/billing/refunds", (URL, EXTENSION, FOLDER)),
    ("billing/Refunds.md", "refunds.md#2", (CHUNK, CASE, FOLDER)),
]


@pytest.mark.parametrize(("expected", "retrieved", "kinds"), SPELLINGS)
def test_the_fewest_differences_explain_two_spellings(
    expected: str, retrieved: str, kinds: tuple[Spelling, ...]
):
    assert differences(expected, retrieved) == kinds
    short, long = sorted((folded(expected), folded(retrieved)), key=len)
    assert short in tails(long)


@pytest.mark.parametrize(
    ("expected", "retrieved"),
    [
        ("a/README.md", "b/README.md"),
        ("refunds.md", "shipping.md"),
        ("manual-1", "manual-2"),
        ("v1.2", "v1.3"),
        ("refunds.md", "late-refunds.md"),
        ("", "refunds.md"),
    ],
)
def test_two_documents_are_not_taken_for_two_spellings(expected: str, retrieved: str):
    assert differences(expected, retrieved) is None


def test_one_spelling_differs_in_nothing():
    assert differences("a.md", "a.md") == ()
