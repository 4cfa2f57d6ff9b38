"""Questions from the form of a document alone."""

from __future__ import annotations

import pytest

from ragate.contrib.golden.generate import findings, keyless_drafts
from ragate.contrib.golden.quoted_passages import normalise

PAGE = """\
# Backups

This page says how data is kept.

## Retention of backups

Backups are kept for **7 years**. They are encrypted. Nobody reads them.

## How to restore

Ask the help desk; it takes a day at most.

## What if it fails?

Then the second copy is used, without a loss.

## Empty

```text
## Not a heading of the page
Some code that is no prose at all, whatever it says.
```

| a | table of figures that is no prose |
| --- | --- |

An audit log is a list of who did what in the system.

**RPO**: the time of which data may be lost.

- **Nothing gets lost.** Each label is written when it is given.
"""


def asked(text: str, before: str = "") -> list[str]:
    return [each.query for each in findings("backups.md", text, before)]


def test_headings_and_definitions_become_questions() -> None:
    assert asked(PAGE) == [
        "What do I need to know about retention of backups?",
        "How do I restore?",
        "What if it fails?",
        "What do I need to know about empty (Backups)?",
        "What is an audit log?",
        "What does RPO mean?",
    ]


def test_what_stood_there_before_is_not_asked_about() -> None:
    edited = PAGE.replace("a day at most", "a week at most")

    assert asked(edited, before=PAGE) == ["How do I restore?"]
    assert asked(PAGE, before=PAGE) == []


def test_every_quote_stands_in_its_document_and_two_sentences_are_the_most() -> None:
    found = list(findings("backups.md", PAGE))

    assert all(normalise(each.quote) in normalise(PAGE) for each in found)
    assert found[0].quote == "Backups are kept for **7 years**. They are encrypted."


def test_a_page_in_another_language_is_asked_by_its_headings_alone() -> None:
    page = "# Sicherung\n\n## Aufbewahrung der Daten\n\nDie Daten werden für 7 Jahre aufbewahrt."

    assert asked(page) == ["Aufbewahrung der Daten?"]


def test_a_draft_expects_its_document_and_counts_for_nothing_yet() -> None:
    (row,) = keyless_drafts({"a.md": PAGE}, ["a.md"], {}, count=1)

    assert row["relevant"] == ["a.md"]
    assert row["references"] == ["Backups are kept for 7 years. They are encrypted."]
    assert row["draft"] is True
    assert row["metadata"] == {"source": "synthetic", "kind": "heading"}


def test_documents_take_turns_and_a_seed_changes_their_order() -> None:
    texts = {name: PAGE.replace("Backups", name) for name in "abc"}

    rows = keyless_drafts(texts, list(texts), {}, count=4)
    orders = {
        tuple(row["relevant"][0] for row in keyless_drafts(texts, list("abc"), {}, count=3, seed=n))
        for n in range(9)
    }

    assert {row["relevant"][0] for row in rows[:3]} == set("abc")
    assert len(rows) == 4
    assert len(orders) > 1


@pytest.mark.parametrize(
    "text",
    [
        "",
        "#",
        "# \n",
        "```\n# x",
        "#" * 9,
        "word " * 50_000,
        "A word is a thing. " * 100_000,
        "[" * 5_000,
        "**" * 5_000,
        "# a\n" * 900,
    ],
)
def test_no_text_makes_it_stumble(text: str) -> None:
    assert len(list(findings("x.md", text))) < 1000
