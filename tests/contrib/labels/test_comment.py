"""Labels as a comment gives them."""

from __future__ import annotations

import cmarkgfm
import pytest

from ragate.contrib.labels.comment import label_lines, labels_reply
from ragate.contrib.labels.labels import read_given_labels
from ragate.contrib.labels.review_label import ReviewLabel, ReviewVerdict


def label(*, id: str = "q1", reason: str = "as good") -> ReviewLabel:  # noqa: A002
    return ReviewLabel(
        gate="docs",
        id=id,
        who="ada",
        reason=reason,
        verdict=ReviewVerdict.SAME,
        sample="c" * 16,
        before="b" * 16,
        after="a" * 16,
    )


@pytest.mark.parametrize(
    "text",
    ["```", "\n```\n<b>x", "<img src=x>", "@team", "&amp;", "\u202eflip", "ä\U0001f600", "\x7f"],
)
def test_what_is_copied_from_the_block_reads_the_same(text: str) -> None:
    given = label(reason=text, id=f"q{text}")

    block = label_lines([given, label()])

    assert read_given_labels("reply", block.encode()) == [given, label()]
    assert block.count("```") == 2
    assert block.isascii()


def test_the_block_is_code_and_nothing_else_to_a_parser() -> None:
    block = label_lines([label(reason="```\n\n# x <script>alert(1)</script> @team")])

    shown = cmarkgfm.github_flavored_markdown_to_html(block)

    assert shown.startswith("<pre")
    assert shown.count("<") == 4  # pre and code, opened and closed


def test_the_reply_names_samples_person_file_and_that_nothing_changes() -> None:
    text = " ".join(labels_reply([label(), label(id="q<2>")], "evals/labels.jsonl", sha="b" * 40))

    assert "<code>q1</code>, <code>q&lt;2&gt;</code>: same, says ada" in text
    assert "No label changes a verdict" in text
    assert "<code>evals/labels.jsonl</code>" in text
