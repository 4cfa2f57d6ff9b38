"""Every renderer's whole text for every kind of report; RAGATE_UPDATE_GOLDEN=1 writes it anew."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from ragate.models import Failure, Score
from ragate.renderers import console, explain, json, junit, markdown
from tests.factories import (
    output_factory,
    record_factory,
    report_factory,
    sample_factory,
    sample_row_factory,
)
from tests.unit.renderers.cases import CASES

GOLDEN = Path(__file__).parents[2] / "golden"


def matches_golden(name: str, text: str) -> None:
    path = GOLDEN / name
    if os.environ.get("RAGATE_UPDATE_GOLDEN") == "1":
        path.write_text(text, encoding="utf-8")
    assert path.read_text(encoding="utf-8") == text, "RAGATE_UPDATE_GOLDEN=1 writes it anew"


@pytest.mark.parametrize("name", CASES)
def test_the_comment_reads_as_its_golden_file(name: str) -> None:
    matches_golden(f"{name}.md", markdown.render(CASES[name]()))


@pytest.mark.parametrize("name", CASES)
def test_the_terminal_reads_as_its_golden_file(name: str) -> None:
    matches_golden(f"{name}.txt", console.render(CASES[name]()))


@pytest.mark.parametrize("name", ["regression", "bootstrap"])
def test_the_json_equals_its_golden_file(name: str) -> None:
    matches_golden(f"{name}.json", json.render(CASES[name]()))


@pytest.mark.parametrize(
    "name",
    ["regression", "unchanged", "unscored", "floors_and_must_pass", "citations_taken_out"],
)
def test_the_junit_file_equals_its_golden_file(name: str) -> None:
    matches_golden(f"{name}.xml", junit.render(CASES[name]()))


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
    matches_golden("explain.txt", explain.explain(sample, before, after, row=row))


def test_a_report_of_nothing_renders_everywhere() -> None:
    report = report_factory().amended(head="", base="", ragate_version="")
    for renderer in (console, json, junit, markdown):
        assert renderer.render(report).endswith("\n")
