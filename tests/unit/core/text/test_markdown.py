"""Markdown without its marks: by hand, and beside a parser."""

from __future__ import annotations

import html
import re
import time

import cmarkgfm
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.core.text.markdown import blocks, readable
from ragate.core.text.segmentation import words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Plain. It is 2 * 3, a_b and C#.", "Plain. It is 2 * 3, a_b and C#."),
        ("**Zurich** pays *30* days, __all__ of _them_.", "Zurich pays 30 days, all of them."),
        ("***Zurich*** and ~~Berne~~ and **重要**です", "Zurich and Berne and 重要です"),
        ("snake_case, 2*3*4, a*b, ~30 and price*", "snake_case, 2*3*4, a*b, ~30 and price"),
        ("[the plan](https://x.y/a_(b) 'Title') ![a map](m.png)", "the plan a map"),
        ("So [1](https://x.y), [[2]](https://x.y) [3].", "So [1], [2] [3]."),
        ("See [the plan][p] and [that][1].\n\n[p]: https://x.y", "See the plan and [that][1]."),
        (
            "<https://x.y/z> a<br>b <b>c</b> <name> &amp; \\*d\\*",
            "https://x.y/z a b c <name> & *d*",
        ),
        ("Use `a*b*c` and `[x](y)`.", "Use `a*b*c` and `[x](y)`."),
        ("- one\n- [x] two\n  more\n1. three\n2) four", "one\n\ntwo more\n\nthree\n\nfour"),
        ("It takes\n30. Then", "It takes 30. Then"),
        ("1969.", "1969."),
        ("> quoted\n> > **more**\n\nown", "quoted more\n\nown"),
        ("Intro\n> quoted", "Intro\n\nquoted"),
        ("Intro\n***\nMore", "Intro\n\nMore"),
        (
            "| # | Plan | Detail |\n|---|:-:|--|\n| 1 | **Plus** | The plan covers dental care. |",
            "| Plus |\n\nThe plan covers dental care.",
        ),
        ("| a | 3 |\n| b \\| c | 4 |", "| a | 3 |\n\n| b | c | 4 |"),
        ("Run:\n```python\na = 1\n```", "Run:\n\n```\na = 1\n```"),
        ("```\nThe plan *pays*. It does.\n```\n[1]", "The plan pays. It does.\n\n[1]"),
        ("```markdown\n# Big Title\n- a b\n```", "a b"),
    ],
)
def test_marks_go_and_what_they_mark_stays(text: str, expected: str) -> None:
    assert readable(text) == expected


@pytest.mark.parametrize("text", ["# Zurich", "**Zurich**", "| Zurich |\n|---|"])
def test_what_labels_nothing_is_said(text: str) -> None:
    assert readable(text) == "Zurich"


@pytest.mark.parametrize(
    ("heading", "stays"),
    [
        ("Key Points", False),
        ("Coverage details", False),
        ("Coverage by Zurich", False),
        ("What Zurich pays", False),
        ("A quick summary for busy readers", False),
        ("The plan of Zurich and Berne", True),
        ("30 days", True),
        ("The plan covers all of it", True),
    ],
)
def test_a_heading_that_only_names_what_follows_claims_nothing(heading: str, stays: bool) -> None:
    for form in ("# {}\n\nIt is so.", "{}\n---\nIt is so.", "**{}**\n\nIt is so."):
        assert (heading in readable(form.format(heading))) == stays
    assert (heading in readable(f"| {heading} | B |\n|---|---|\n| c | d |")) == stays


_TAG = re.compile(r"<[^>]*>")
WORD = st.sampled_from(["Acme", "pays", "30", "the", "2.5", "café", "über", "snake_case", "A"])
PLAIN = st.lists(WORD, min_size=1, max_size=6).map(" ".join)


EMPHASIS = ("**{}**", "*{}*", "_{}_", "***{}***", "`{}`", "<b>{}</b>", '"{}"', "({}).")
LINKS = ("~~{}~~", "[{}](https://x.y/z_(a))", '[{}](u "a title")', "{} \\* \\_ &amp;")


def _marked(inner: st.SearchStrategy[str], *forms: str) -> st.SearchStrategy[str]:
    return st.one_of(*(inner.map(form.format) for form in forms))


PIECE = st.one_of(
    PLAIN,
    PLAIN.map("![{}](u.png)".format),
    _marked(st.one_of(PLAIN, _marked(PLAIN, *EMPHASIS)), *EMPHASIS, *LINKS),
)
INLINE = st.lists(PIECE, min_size=1, max_size=5).map(" ".join)
BLOCK = st.one_of(
    INLINE,
    INLINE.map("# Words of the heading {} that are many".format),
    INLINE.map("> {}".format),
    st.lists(INLINE, min_size=1, max_size=4).map(lambda items: "\n".join(f"- {i}" for i in items)),
    st.lists(INLINE, min_size=1, max_size=4).map(
        lambda items: "\n".join(f"{n}. {item}" for n, item in enumerate(items, start=1))
    ),
    st.lists(st.tuples(INLINE, INLINE), min_size=1, max_size=3).map(
        lambda rows: "\n".join(
            ["| Plan 7 | Days 8 |", "|---|---|", *(f"| {a} b | {b} |" for a, b in rows)]
        )
    ),
    PLAIN.map("```python\nx = {}\n```".format),
    st.just("***"),
)


def _shown(text: str) -> str:
    """Return what a parser shows of a text."""
    rendered = cmarkgfm.github_flavored_markdown_to_html(text, cmarkgfm.Options.CMARK_OPT_UNSAFE)
    rendered = re.sub(r'<img[^>]*alt="([^"]*)"[^>]*>', r"\1", rendered)
    rendered = re.sub(r"</?(?:p|li|td|th|tr|h\d|pre|blockquote)[^>]*>", " ", rendered)
    return html.unescape(_TAG.sub("", rendered))


@given(st.lists(BLOCK, min_size=1, max_size=5).map("\n\n".join))
def test_the_words_are_those_that_a_parser_shows(text: str) -> None:
    ours = readable(text).replace("```python", "")

    assert sorted(words(ours)) == sorted(words(_shown(text)))


@given(st.text(alphabet="*_`#>|~\\[]()<&-+•=1.) \nab", max_size=60))
def test_any_text_is_read_to_its_end(text: str) -> None:
    assert readable(f"{text}\n\nThe end.").endswith("The end.") or "`" in text


@pytest.mark.parametrize(
    "text",
    ["> " * 500_000, "> a\n" * 250_000, "| a | b |\n|---|---|\n" + "| **x** | 3 |\n" * 10_000],
)
def test_a_megabyte_of_quotations_and_a_table_of_10_000_rows_are_read_at_once(text: str) -> None:
    started = time.process_time()
    blocks(text)

    # Linear code needs less than 2 s here, quadratic code far longer.
    assert time.process_time() - started < 15


@pytest.mark.parametrize(
    "heading",
    [
        "**No, not covered.**",
        "**Yes, fully covered.**",
        "# Never return it",
        "**Acme pays.**",
        "# No",
    ],
)
def test_a_heading_that_may_be_a_claim_is_read(heading: str):
    assert heading.strip("*# ") in readable(f"{heading}\n\nSee the refund page.")


@pytest.mark.parametrize(
    "hostile",
    [
        "See [a](" + " " * 100_000 + "x",
        "|a|b|\n|-|-|\n|c|" + "[1]|" * 30_000,
        "```" + " " * 100_000 + "x\ncode\n```",
    ],
)
def test_blanks_and_markers_without_end_take_linear_time(hostile: str):
    started = time.process_time()

    readable(hostile)

    assert time.process_time() - started < 5
