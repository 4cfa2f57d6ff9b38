"""Untrusted text in each of its sinks; the comment is judged by GitHub's own Markdown parser."""

from __future__ import annotations

import re
import unicodedata
from html.parser import HTMLParser

import pytest
from cmarkgfm import github_flavored_markdown_to_html
from cmarkgfm.cmark import Options
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ragate.guards.escape import code, name, one_line, plain, short_sha

EVIL = [
    "</code></td></table><img src=https://example.org/?q=1>",
    "<!-- ragate:1 gate=docs head=0000000 -->",
    "--> @octocat/team please",
    "![x](https://example.org/a.png) [x](javascript:alert(1)) <https://example.org>",
    "| a | b |\n|---|---|",
    "```\ncode\n```",
    "`` ` ``",
    "www.example.org https://example.org/x a@b.co 0&#64;&#46;A",
    "#123 GH-1 owner/repo#5 deadbeefdeadbeef :tada: $\\color{red}x$",
    "\u202eevil\u2066 \u200b\ufeff\U000e0041",
    "::set-output name=a::b ##[add-mask]x",
    "x\r::error::y\n\n# heading\n\n    indented",
    "\x1b[31mred\x1b[0m\x1b]8;;https://example.org\x07link\x1b]8;;\x07\x9b2J",
    "&#124; &lt;b&gt; &amp;amp; \\| \\<",
    "\x00\ud800\uffff\u2028",
    "'\"<&>" * 40,
    "a" * 70_000,
]
FOREIGN = st.one_of(
    st.text(max_size=200),
    st.sampled_from(EVIL),
    st.lists(st.sampled_from(EVIL), max_size=4).map("".join),
)
PARSER = Options.CMARK_OPT_UNSAFE | Options.CMARK_OPT_GITHUB_PRE_LANG


class Tree(HTMLParser):
    """Opening and closing tags in order, the text inside each ``<code>``, and the comments."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.codes: list[str] = []
        self.comments: list[str] = []
        self._inside = False
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag == "code":
            self._inside = True
            self.codes.append("")

    def handle_endtag(self, tag: str) -> None:
        self.tags.append(f"/{tag}")
        self._inside = self._inside and tag != "code"

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.codes[-1] += data

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)


def as_github(markdown: str) -> Tree:
    return Tree(github_flavored_markdown_to_html(markdown, options=PARSER))


@settings(max_examples=8 * settings().max_examples, suppress_health_check=list(HealthCheck))
@given(FOREIGN, FOREIGN)
@example(EVIL[0], EVIL[1])
def test_foreign_text_in_a_table_is_shown_as_it_is_and_changes_no_tag(a: str, b: str) -> None:
    cells = f"<tr><td>{code(a, 300)}</td><td>{code(b, 300)}</td></tr>"
    tree = as_github(f"<!-- mark -->\n<table>\n{cells}\n</table>\n\nafter **bold**\n")

    assert tree.tags == (
        "table tr td code /code /td td code /code /td /tr /table p strong /strong /p".split()  # noqa: SIM905
    )
    assert tree.codes == [one_line(a, 300), one_line(b, 300)]
    assert tree.comments == [" mark "]


@settings(max_examples=8 * settings().max_examples)
@given(FOREIGN, st.integers(min_value=2, max_value=400))
def test_one_line_is_short_has_no_hidden_character_and_repeats_itself(
    text: str, limit: int
) -> None:
    line = one_line(text, limit)

    assert len(line) <= limit
    assert not [c for c in line if unicodedata.category(c) in {"Cc", "Zl", "Zp", "Cs"}]
    assert not re.search("[\u202a-\u202e\u2066-\u2069\u200b\u200e\u200f\ufeff]", line)
    assert one_line(line, limit) == line


def test_what_is_cut_says_so() -> None:
    assert one_line("a b " * 100, 10) == "a b a b a…"
    assert one_line("exactly te", 10) == "exactly te"


def test_a_huge_text_is_cut_before_it_is_read_and_says_so() -> None:
    assert one_line(" " * 10_000 + "a", 10) == "…"
    assert one_line("\x1b[31m" * 10_000 + "a", 10) == "…"


def test_joiners_of_scripts_and_emoji_are_kept() -> None:
    assert one_line("می\u200cخواهم 👩\u200d💻") == "می\u200cخواهم 👩\u200d💻"


@settings(max_examples=8 * settings().max_examples)
@given(FOREIGN)
def test_a_log_line_made_of_foreign_text_gives_the_runner_no_command(text: str) -> None:
    for line in plain(text).split("\n"):
        assert "##[" not in line
        assert not line.lstrip().startswith("::")
        assert not [c for c in line if unicodedata.category(c) == "Cc"]


def test_escape_sequences_leave_no_trace_in_a_terminal() -> None:
    assert plain("\x1b[31mred\x1b[0m \x1b]0;title\x07x\x1bc") == "red x"


def test_an_unfinished_control_string_does_not_swallow_what_follows() -> None:
    assert plain("\x1b]0;title that never ends").endswith("title that never ends")


def test_outside_of_ci_colons_stay_whole() -> None:
    assert plain("std::vector ##[x]", ci=False) == "std::vector ##[x]"
    assert plain("std::vector ##[x]") == "std: :vector ## [x]"


@pytest.mark.parametrize("text", ["faithfulness", "hit_rate@10", "support-bot", "r_precision"])
def test_a_plain_identifier_stays_bare(text: str) -> None:
    assert name(text) == text


@pytest.mark.parametrize(
    "text", ["www.example.org", "@octocat", "GH-1", "a@b.co", "a b", "", "<b>", "a" * 61, "x@12345"]
)
def test_any_other_name_is_code(text: str) -> None:
    assert name(text).startswith("<code>")


def test_only_a_commit_is_shortened() -> None:
    assert short_sha("bad0badbad0badbad0badbad0badbad0badbad0b") == "bad0bad"
    assert short_sha("main --> @octocat") == ""
