"""What is said without a report, on GitHub's own Markdown parser: nothing foreign is markup."""

from __future__ import annotations

import re

import pytest
from cmarkgfm import github_flavored_markdown_to_html
from cmarkgfm.cmark import Options
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragate.errors import ConfigError
from ragate.github.publish.comment import outdated
from ragate.github.publish.publisher import description, error_page
from ragate.guards.escape import one_line
from ragate.models import Verdict
from ragate.renderers import markdown
from tests.factories import decision_factory, report_factory, sample_row_factory
from tests.unit.test_escape import EVIL, Tree

PARSER = Options.CMARK_OPT_UNSAFE | Options.CMARK_OPT_GITHUB_PRE_LANG
URL = "https://github.com/octo-org/handbook/actions/runs/42/attempts/1"
FOREIGN = st.one_of(
    st.text(max_size=150),
    st.sampled_from(EVIL),
    st.lists(st.sampled_from(EVIL), max_size=3).map("".join),
)
MANY = settings(max_examples=8 * settings().max_examples, suppress_health_check=list(HealthCheck))


def as_github(text: str) -> Tree:
    return Tree(github_flavored_markdown_to_html(text, options=PARSER))


def page(message: str, remedy: str, gate: str = "docs", head: str = "a" * 40) -> str:
    return error_page(ConfigError(message, remedy=remedy), gate=gate, head=head, run_url=URL)


@MANY
@given(FOREIGN, FOREIGN.filter(str.strip))
def test_an_errors_words_stand_in_code_and_change_no_tag(message: str, remedy: str) -> None:
    tree = as_github(page(message, remedy))

    assert tree.tags == (
        "h3 /h3 p b /b code /code /p p b /b code /code /p p sub a /a /sub /p".split()  # noqa: SIM905
    )
    assert tree.codes == [one_line(message, 1000), one_line(remedy, 1000)]
    assert len(tree.comments) == 1


@MANY
@given(FOREIGN, FOREIGN)
def test_a_gates_name_and_a_commit_change_no_tag(gate: str, head: str) -> None:
    tree = as_github(page("broken", "mend it", gate, head))

    assert [tag for tag in tree.tags if tag not in ("code", "/code")] == (
        "h3 /h3 p b /b /p p b /b /p p sub a /a /sub /p".split()  # noqa: SIM905
    )
    assert len(tree.comments) == 1


@pytest.mark.parametrize(
    "url",
    ["http://x.org/1", "javascript:alert(1)", 'https://x.org/"onclick="x', "https://x.org/a b"],
)
def test_only_an_https_address_becomes_a_link(url: str) -> None:
    text = error_page(ConfigError("broken"), gate="docs", head="", run_url=url)

    assert "<a" not in text


@MANY
@given(FOREIGN, FOREIGN)
def test_the_line_of_an_outdated_comment_is_a_paragraph_of_its_own(query: str, sha: str) -> None:
    report = report_factory(samples=(sample_row_factory("q1", query or "x"),))
    before = markdown.render(report)
    after = outdated(before, sha)

    was, now = as_github(before), as_github(after)
    assert now.tags == ["p", "/p", *was.tags]
    assert (now.codes, now.comments) == (was.codes, was.comments)
    assert after.splitlines()[0] == before.splitlines()[0]
    assert re.fullmatch(
        r"<p>⏳ judging (a newer commit|[0-9a-f]{7}); below is for bad0bad</p>",
        after.splitlines()[1],
    )
    assert outdated(after, sha) == after


def test_a_comment_of_an_unknown_commit_can_be_outdated() -> None:
    text = outdated("<!-- ragate:1 gate=docs head= -->\n<h3>x</h3>\n", "b" * 40)

    assert text.splitlines()[1] == "<p>⏳ judging bbbbbbb; below is for an older one</p>"


def test_an_outdated_comment_at_its_longest_still_fits() -> None:
    rows = tuple(
        sample_row_factory(f"q{i}", "&" * 300, answers=("&" * 300, "<" * 300)) for i in range(300)
    )
    text = outdated(markdown.render(report_factory(samples=rows)), "b" * 40)

    assert 55_000 < len(text.encode()) < 65_536


@MANY
@given(FOREIGN)
def test_a_status_is_one_short_line_without_the_gates_name(gate: str) -> None:
    report = report_factory(decision_factory(Verdict.NO_DECISION), gate=gate or "x")
    told = description(report, exit_code=3)

    assert told.startswith("no decision: ")
    assert len(told) <= 140
    assert told == one_line(told, 140)
