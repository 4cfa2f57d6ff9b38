"""Citations in one spelling, and the numbers that are none."""

from __future__ import annotations

import pytest

from ragate.core.text.citations import with_markers

DOCUMENTS = ("guide.pdf", "rules/fees.md", "c")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("So[^1]. And[^note].", "So[1]. And."),
        ("So【1】, so【2†fees】 and so【4:0†guide.pdf】.", "So[1], so[2] and so."),
        ("So (1). Or (3)", "So [1]. Or [3]"),
        ("So<sup>1, 2</sup>.", "So[1, 2]."),
        ("So.² It is 30 m².", "So.[2] It is 30 m²."),
        ("So [doc 1], [Source: 2] and (Sources 1, 2).", "So [1], [2] and [1, 2]."),
        ("So [1: guide.pdf], [2, p. 3], [1-3].", "So [1], [2], [1, 2, 3]."),
        ("So [guide.pdf, p. 3] (see fees.md) [other.pdf].", "So [1] [2] ."),
        ("So [1](https://x.y/a), [[2]](https://x.y).", "So [1], [2]."),
        ("So [c].", "So [3]."),
        ("It is of 1996 (1996) (2).", "It is of 1996 (1996) [2]."),
    ],
)
def test_what_cites_is_a_marker(text: str, expected: str) -> None:
    assert with_markers(text, DOCUMENTS) == expected


@pytest.mark.parametrize(
    "text",
    [
        "It was built (1931).",
        "It has four (4) rooms.",
        "So (1) and (9).",
        "(1) one\n(2) two",
        "It takes (3 days) [sic] [x].",
        "See [the plan](https://x.y) and `a(1)`.",
        "```\nf (1).\n```",
        "[^1]: It is so.",
        "Model [Acme 2].",
    ],
)
def test_what_cites_nothing_stays(text: str) -> None:
    assert with_markers(text, DOCUMENTS) == text


def test_a_number_that_is_a_whole_link_is_a_number() -> None:
    assert with_markers("It has [3](https://x.y) rooms.", DOCUMENTS) == "It has 3 rooms."
    assert with_markers("It costs [999](https://x.y).", DOCUMENTS) == "It costs 999."


def test_without_passages_a_number_in_brackets_is_a_number() -> None:
    assert with_markers("So (1).") == "So (1)."
