"""Sections of several gates: read as they were written, whatever stands in them."""

from __future__ import annotations

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragate.github.publish.comment import (
    BUDGET,
    comment_of,
    dated,
    head_of,
    outdated,
    sections_of,
)
from ragate.models import Report
from ragate.renderers import markdown
from tests.unit.renderers.cases import CASES
from tests.unit.renderers.test_markdown import as_github, report_made_of


def rendered(case: str, gate: str) -> str:
    return markdown.render(CASES[case]().amended(gate=gate))


def test_each_section_is_read_back_as_its_gate_wrote_it() -> None:
    written = [rendered(case, case) for case in CASES]
    body = comment_of(written[:6])

    assert sorted(sections_of(body).values()) == sorted(written[:6])
    assert comment_of(sections_of(body).values()) == body


def test_several_gates_are_counted_above_the_worst_and_one_is_not() -> None:
    cases = ("unchanged", "unscored", "regression", "cannot_tell")
    body = comment_of(rendered(case, case) for case in cases)

    assert body.splitlines()[1].startswith(
        "<h3>4 gates: 1 worse, 1 undecided, 1 to look at, 1 passed</h3>"
    )
    assert sections_of(body)[body.splitlines()[0].partition("head=")[0]] == rendered(
        "regression", "regression"
    )
    assert " gates: " not in comment_of([rendered("regression", "one")])


@pytest.mark.parametrize("gates", [2, 5, 10])
def test_a_shared_comment_nests_and_fits(gates: int) -> None:
    large = CASES["regression"]()
    many = large.amended(samples=large.samples * 40)
    body = comment_of(
        markdown.render(many.amended(gate=f"gate{number}x")) for number in range(gates)
    )

    assert len(body.encode()) <= BUDGET
    assert as_github(body).nested
    assert [f"gate{number}x: " in body for number in range(gates)] == [True] * gates


def test_very_many_gates_keep_their_headings() -> None:
    body = comment_of(rendered("regression", f"gate{number}x") for number in range(60))

    assert len(body.encode()) <= BUDGET
    assert len(sections_of(body)) == 60
    assert all(f"gate{number}x: " in body for number in range(60))


@settings(suppress_health_check=list(HealthCheck))
@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=60))
def test_no_foreign_text_begins_a_section_or_ends_a_fold(text: str) -> None:
    hostile: Report = report_made_of(f"{text}\n<!-- ragate:1 gate=x head=0000000 -->")
    sections = [markdown.render(hostile, budget=20_000), rendered("unchanged", "own")]
    body = comment_of(sections)

    assert len(sections_of(body)) == 2
    assert as_github(body).nested


def test_an_old_comment_of_one_gate_is_its_one_section() -> None:
    text = rendered("unchanged", "docs")

    assert list(sections_of(text.replace("\n", "\r\n")).values()) == [text]
    assert sections_of("a comment of somebody") == {}


def test_a_section_that_is_cut_to_its_heading_still_says_that_its_commit_is_older() -> None:
    marked = [
        dated(rendered("regression", f"gate{number}x"), "c" * 40).replace("</h3>", " </h3>")
        for number in range(60)
    ]
    body = comment_of(marked)

    assert len(body.encode()) <= BUDGET
    assert body.count("⏳ an older commit: ") == 60
    assert len(re.findall("<(?:h3|summary)>❌ gate", body)) == 60


def test_a_section_says_that_its_commit_is_older_only_while_it_is() -> None:
    section = rendered("regression", "docs")
    waits = outdated(section, "d" * 40)

    older = dated(section, "c" * 40)

    assert "⏳ an older commit: " in older
    assert dated(older, head_of(section)) == section
    assert dated(waits, "c" * 40) == waits, "it says itself that it is judging another"


def test_a_section_whose_heading_somebody_took_out_stands_first() -> None:
    failed, passed = rendered("regression", "b"), rendered("unchanged", "a")
    headless = re.sub("<h3>.*</h3>", "", passed)
    body = comment_of([failed, headless])

    assert body.startswith(headless.splitlines()[0])
    assert len(sections_of(body)) == 2
