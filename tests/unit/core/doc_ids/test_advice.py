"""What is said of ids that do not fit."""

from __future__ import annotations

import pytest

from ragate import plugins
from ragate.core.doc_ids import IdMismatch, find_mismatch, mismatch_remedy, mismatch_words


def between(expected: str, *retrieved: str) -> IdMismatch:
    mismatch = find_mismatch([({expected}, set(retrieved))])
    assert mismatch is not None
    return mismatch


def test_both_spellings_stand_beside_each_other_with_what_differs():
    words = mismatch_words(between("billing/refunds.md", "refunds.md"))

    assert words == (
        "the ids do not fit: expected billing/refunds.md; came back refunds.md: the folder differs "
        "(1 of 1 expected documents)"
    )


@pytest.mark.parametrize(
    ("retrieved", "words"),
    [
        ((), "no document was ever retrieved"),
        (("text:00",), "passages came back without a name"),
        (("node-7",), "no expected document was ever retrieved: expected a.md; came back node-7"),
        (("A.html",), "the capitals and the ending differ"),
    ],
)
def test_every_kind_has_its_words(retrieved: tuple[str, ...], words: str):
    assert words in mismatch_words(between("a.md", *retrieved))


def test_the_remedy_for_llamaindex_names_the_folder_and_the_other_way_out():
    mismatch = between("billing/refunds.md", "refunds.md")

    remedy = mismatch_remedy(mismatch, plugins.traits("llamaindex"), folder="kb")

    assert 'doc_id = "file_path" and doc_id_relative_to = "kb"' in remedy
    assert "dataset relink --respell" in remedy
    assert "the documents' folder" in mismatch_remedy(mismatch, plugins.traits("llamaindex"))


@pytest.mark.parametrize(
    ("use", "retrieved", "remedy"),
    [
        ("http", ("text:00",), "`ids` of [system.pointers]"),
        ("replay", (), "record `chunks`"),
        ("llamaindex", (), "source nodes"),
        ("mine.rag", (), "return `chunks` with doc_id"),
        ("http", ("node-7",), "or correct `relevant`"),
        ("python", ("a.md#1",), "give the document's id to each of its chunks"),
    ],
)
def test_the_remedy_is_that_of_the_system(use: str, retrieved: tuple[str, ...], remedy: str):
    assert remedy in mismatch_remedy(between("a.md", *retrieved), plugins.traits(use))


def test_chunks_are_no_reason_to_rewrite_the_golden_set():
    assert "respell" not in mismatch_remedy(between("a.md", "a.md#1"), plugins.traits("http"))


def test_a_remedy_never_repeats_what_is_set():
    mismatch = between("billing/refunds.md", "refunds.md")

    remedy = mismatch_remedy(mismatch, plugins.traits("llamaindex"), folder="kb", already=True)

    assert "doc_id_relative_to" not in remedy
    assert "dataset relink --respell" in remedy


@pytest.mark.parametrize("path", ["/srv/rag/kb/refunds.md", "C:/rag/kb/refunds.md"])
def test_no_path_of_a_machine_is_written_into_a_golden_set(path: str):
    mismatch = between("refunds.md", path)

    assert "respell" not in mismatch_remedy(mismatch, plugins.traits("python"), folder="kb")
