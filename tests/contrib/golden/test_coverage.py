"""Documents beside the questions that expect them."""

from __future__ import annotations

import time

import pytest

from ragate.contrib.golden.coverage import ChangedDocuments, coverage, to_draft_for
from ragate.dataset import Entry
from ragate.models import Sample


def entry(sample_id: str, *docs: str, draft: bool = False, grade: int = 1) -> Entry:
    sample = Sample(id=sample_id, query="?", relevant=dict.fromkeys(docs, grade))
    return Entry("golden.jsonl:1", sample, draft=draft)


TEXTS = dict.fromkeys(["refunds.md", "help/backups.md", "terms.md"], "text")


def test_documents_that_no_question_expects_are_listed() -> None:
    found = coverage([entry("q1", "refunds.md")], TEXTS)

    assert found.documents == 3
    assert found.unasked == ("help/backups.md", "terms.md")


def test_a_draft_and_a_grade_of_0_expect_nothing_yet() -> None:
    found = coverage(
        [entry("q1", "terms.md", draft=True), entry("q2", "refunds.md", grade=0)], TEXTS
    )

    assert found.unasked == ("help/backups.md", "refunds.md", "terms.md")
    assert found.drafted == ("terms.md",)


@pytest.mark.parametrize("name", ["backups.md", "HELP/backups", "https://x.org/help/backups.html"])
def test_an_id_that_is_written_otherwise_means_its_document(name: str) -> None:
    assert "help/backups.md" not in coverage([entry("q1", name)], TEXTS).unasked


def test_an_id_that_names_a_document_means_no_other() -> None:
    texts = {"backups.md": "a", "help/backups.md": "b"}

    assert coverage([entry("q1", "backups.md")], texts).unasked == ("help/backups.md",)


def test_of_a_change_only_its_documents_count() -> None:
    kinds = {"help/backups.md": "added", "old.md": "removed", "refunds.md": "edited"}
    entries = [
        entry("q1", "refunds.md"),
        entry("q2", "old.md", "terms.md"),
        entry("q3", "terms.md"),
    ]

    found = coverage(entries, TEXTS, ChangedDocuments("465cda5", kinds))  # type: ignore[arg-type]

    assert (found.documents, found.unasked) == (2, ("help/backups.md",))
    assert found.touched == {"q1": ("refunds.md",)}
    assert found.removed == {"q2": ("old.md",)}


def test_what_a_draft_expects_is_not_drafted_again() -> None:
    changed = ChangedDocuments("465cda5", {"refunds.md": "edited", "terms.md": "added"})

    assert to_draft_for([entry("q1", "terms.md", draft=True)], TEXTS, changed) == ("refunds.md",)


def test_ten_thousand_documents_under_other_ids_take_seconds() -> None:
    texts = {f"docs/{n}/page.md": "" for n in range(10_000)}
    changed = ChangedDocuments("465cda5", dict.fromkeys(texts, "edited"))
    entries = [entry(f"q{n}", f"https://x.org/docs/{n}/page.html") for n in range(2_000)]
    start = time.process_time()

    found = coverage(entries, texts, changed)

    assert len(found.unasked) == 8_000
    assert time.process_time() - start < 20
