"""Every renderer's whole text for every kind of report; RAGATE_UPDATE_GOLDEN=1 writes it anew."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from ragate import plugins
from ragate.github.publish.comment import comment_of
from ragate.models import Failure, Score
from ragate.renderers import console, explain, markdown
from tests.factories import (
    output_factory,
    record_factory,
    report_factory,
    sample_factory,
    sample_row_factory,
)
from tests.unit.renderers.cases import CASES

GOLDEN = Path(__file__).parents[2] / "golden"
# `explain` is of one sample in two runs, and not asked for by name.
RENDERERS = [name for name in plugins.names("renderers") if name != "explain"]
ENDINGS = {"console": "txt", "junit": "xml", "markdown": "md"}  # else its name
# A form whose text says little by itself is shown in some cases, every other one in all.
SHOWN = {
    "json": ("regression", "bootstrap", "slice_fell"),
    "junit": (
        *("regression", "unchanged", "unscored", "floors_and_must_pass"),
        "citations_taken_out",
        "slice_fell",
        "pass_rate_fell",
    ),
    "html": ("regression", "unchanged", "bootstrap", "cannot_tell", "scorecard"),
}
# What stands in every page alike, and what is drawn, is no part of the text that is kept.
_ALIKE = re.compile(
    r"<(style|script|svg)\b(?! type)[^>]*>.*?</\1>|content=\"default-src[^\"]*\"", re.S
)
RENDERED = [(name, case) for name in RENDERERS for case in SHOWN.get(name, tuple(CASES))]


def own_text(page: str) -> str:
    """Return a page without what stands in every page alike, and without what is drawn."""
    return _ALIKE.sub("", page)


def matches_golden(name: str, text: str) -> None:
    path = GOLDEN / name
    if os.environ.get("RAGATE_UPDATE_GOLDEN") == "1":
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text, "RAGATE_UPDATE_GOLDEN=1 writes it anew"


def test_every_renderer_that_is_found_has_golden_files() -> None:
    assert {renderer for renderer, _ in RENDERED} == set(RENDERERS)
    assert len({ENDINGS.get(renderer, renderer) for renderer in RENDERERS}) == len(RENDERERS)


@pytest.mark.parametrize(("renderer", "case"), RENDERED)
def test_a_report_reads_as_its_golden_file(renderer: str, case: str) -> None:
    text = plugins.load("renderers", renderer).render(CASES[case]())
    text = own_text(text) if renderer == "html" else text

    matches_golden(f"{case}.{ENDINGS.get(renderer, renderer)}", text)


def test_the_explanation_of_a_sample_reads_as_its_golden_file() -> None:
    sample = sample_factory(
        "q031",
        query="Can I pay by invoice?",
        relevant={"billing/invoice.md": 2, "billing/never.md": 1},
        references=("Yes, from 500 euros.",),
        tags=("billing",),
        must_pass=True,
    )
    old = output_factory(
        ["billing/cards.md", "faq.md", "billing/invoice.md"], "Yes, from 500 euros. [3]"
    )
    new = output_factory(["faq.md", "billing/cards.md"], "No, only cards are accepted. [2]")
    late = output_factory([], None, error=Failure(kind="system", message="timeout after 60 s"))
    why = Score(metric="faithfulness", value=0.0, reason="no context speaks of cards only")
    row = sample_row_factory(
        "q031",
        expected=["billing/invoice.md"],
        docs=(["billing/invoice.md"], ["billing/cards.md"]),
        evidence="billing/invoice.md fell out of the first 2",
        displaced_by=["billing/cards.md"],
    )
    before = [
        record_factory(sample, old, run=i, scores={"mrr": 1 / 3, "faithfulness": 1.0})
        for i in range(3)
    ]
    after = [
        record_factory(sample, new, scores={"mrr": 0.0, "faithfulness": why}),
        record_factory(sample, late, run=1, scores={"mrr": 0.0, "faithfulness": None}),
    ]
    text = explain.explain(
        sample, before, after, row=row, slices=("billing",), marks={"mrr": " (PASS → FAIL)"}
    )
    matches_golden("explain.txt", text)


def test_the_gates_of_one_comment_read_as_their_golden_file() -> None:
    gates = [
        CASES[case]().amended(gate=case) for case in ("fall_that_held", "two_causes", "unscored")
    ]

    matches_golden("several_gates.md", comment_of(map(markdown.render, gates)))


def test_all_of_a_report_in_the_console_reads_as_its_golden_file() -> None:
    matches_golden("other_rules.verbose.txt", console.render(CASES["other_rules"](), verbose=True))
    matches_golden("scorecard.verbose.txt", console.render(CASES["scorecard"](), verbose=True))


@pytest.mark.parametrize("renderer", RENDERERS)
def test_a_report_of_nothing_renders(renderer: str) -> None:
    report = report_factory().amended(head="", base="", ragate_version="")

    assert plugins.load("renderers", renderer).render(report).endswith("\n")
