"""The terminal: what is listed, in which order, and that foreign text stays text."""

from __future__ import annotations

import re

import pytest

from ragate.models import Diagnosis, MetricVerdict, Verdict
from ragate.renderers import console
from tests.factories import decision_factory, metric_row_factory, report_factory, sample_row_factory
from tests.unit.renderers.cases import CASES
from tests.unit.renderers.test_markdown import EVIL, report_made_of


def test_twenty_samples_are_listed_and_the_rest_is_counted() -> None:
    rows = tuple(sample_row_factory(f"q{i:03}") for i in range(25))
    text = console.render(report_factory(samples=rows))

    assert len(re.findall(r"(?m)^  q\d+", text)) == 20
    assert "5 more: ragate report 20261118-101500 --format json" in text


def test_all_samples_are_listed_when_told() -> None:
    rows = tuple(sample_row_factory(f"q{i:03}") for i in range(25))
    text = console.render(report_factory(samples=rows), limit=0)

    assert len(re.findall(r"(?m)^  q\d+", text)) == 25
    assert " more: " not in text


@pytest.mark.parametrize("name", CASES)
def test_the_last_lines_are_the_verdict_and_what_to_type(name: str) -> None:
    report = CASES[name]()
    last = console.render(report).strip().split("\n\n")[-1]

    assert f"(exit {report.decision.exit_code})" in last.splitlines()[0]
    assert last.count("->") >= len(report.decision.remedies)


def test_colour_is_used_only_when_told_and_changes_no_text() -> None:
    report = CASES["regression"]()
    coloured = console.render(report, colour=True)

    assert "\x1b[31m" in coloured
    assert re.sub(r"\x1b\[\d+m", "", coloured) == console.render(report)


@pytest.mark.parametrize("text", EVIL)
def test_foreign_text_gives_neither_escape_sequences_nor_workflow_commands(text: str) -> None:
    shown = console.render(report_made_of(text))

    assert "\x1b" not in shown
    assert "##[" not in shown
    assert not [line for line in shown.splitlines() if line.lstrip().startswith("::")]


def test_a_change_has_a_sign_and_three_decimals_and_its_limit_stands_beside() -> None:
    rows = CASES["regression"]().decision.metrics
    text = console.render(report_factory(decision_factory(Verdict.FAILED, rows)))

    row = next(line for line in text.splitlines() if line.startswith("hit_rate@10"))
    assert row.split()[4:6] == ["−0.025", "0.010"]


def test_a_change_too_small_for_three_decimals_is_not_printed_as_none() -> None:
    rows = [metric_row_factory(baseline=0.5, candidate=0.4997)]
    text = console.render(report_factory(decision_factory(metrics=rows)))

    assert "−0.0003" in text


def test_what_is_missing_is_said_once_where_there_is_no_baseline_either() -> None:
    missing = metric_row_factory("mrr", None, None, MetricVerdict.NOT_MEASURED)
    decision = decision_factory(Verdict.NO_DECISION, [missing])

    text = console.render(report_factory(decision, baseline_system=None))

    assert "no decision: mrr was not measured" in text
    assert "there is no baseline to compare with" not in text


def test_what_is_to_be_done_begins_as_a_sentence_does() -> None:
    said = Diagnosis(symptom="it fails", likely_cause="exceptions", action="read the errors")
    text = console.render(report_factory().model_copy(update={"diagnosis": (said,)}))

    assert "it fails: exceptions. Read the errors" in text
