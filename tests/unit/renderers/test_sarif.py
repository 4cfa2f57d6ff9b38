"""SARIF: what its schema wants, what blocks, where it points, and text of others."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.core.publishable import publishable
from ragate.models import (
    ChangedPart,
    MetricVerdict,
    MustPassRow,
    Report,
    SliceRow,
    SourceLines,
    Verdict,
)
from ragate.renderers import sarif
from tests.factories import (
    decision_factory,
    metric_row_factory,
    report_factory,
    sample_row_factory,
)
from tests.unit.renderers.cases import CASES
from tests.unit.renderers.test_markdown import EVIL, report_made_of

# A reference without scheme, authority and characters that RFC 3986 keeps out of a path.
RELATIVE = re.compile(r"(?!/)(?:[A-Za-z0-9._~-]|%[0-9A-F]{2}|/)+")


def run_of(report: Report) -> dict[str, Any]:
    """Return the one run, checked for what the format's schema asks of it."""
    document = json.loads(sarif.render(report))
    assert document["version"] == "2.1.0"
    run: dict[str, Any]
    (run,) = document["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert len(set(rules)) == len(rules)
    for result in run["results"]:
        assert set(result) <= {
            "ruleId", "level", "message", "locations", "relatedLocations", "partialFingerprints",
        }  # fmt: skip
        assert result["ruleId"] in rules
        assert result["level"] in ("error", "warning", "note")
        assert all(isinstance(text, str) for text in result["partialFingerprints"].values())
        assert len(result["locations"]) == 1
        for place in (*result["locations"], *result.get("relatedLocations", ())):
            physical = place["physicalLocation"]
            assert RELATIVE.fullmatch(physical["artifactLocation"]["uri"])
            assert physical.get("region", {"startLine": 1})["startLine"] >= 1
    (invocation,) = run["invocations"]
    for told in (*run["results"], *invocation["toolExecutionNotifications"]):
        assert told["message"]["text"]
    return run


def places(result: dict[str, Any]) -> list[tuple[str, int | None]]:
    found = (*result["locations"], *result.get("relatedLocations", ()))
    physical = [each["physicalLocation"] for each in found]
    return [
        (each["artifactLocation"]["uri"], each.get("region", {}).get("startLine"))
        for each in physical
    ]


@pytest.mark.parametrize("name", CASES)
def test_every_report_is_one_run_whose_errors_are_what_blocks(name: str) -> None:
    report = CASES[name]()
    run = run_of(report)

    errors = [each for each in run["results"] if each["level"] == "error"]
    blocking = sum(row.blocks for row in report.decision.rows)
    assert len(errors) == blocking + sum(row.is_red for row in report.decision.must_pass)
    assert run["invocations"][0]["exitCode"] == report.decision.exit_code


def test_no_decision_is_a_run_that_did_not_succeed_and_says_why() -> None:
    (invocation,) = run_of(CASES["no_baseline"]())["invocations"]

    assert not invocation["executionSuccessful"]
    first = invocation["toolExecutionNotifications"][0]
    assert first["level"] == "error"
    assert first["message"]["text"] == "baselines/support-bot.json does not exist"
    assert run_of(CASES["regression"]())["invocations"][0]["executionSuccessful"]


def test_a_report_of_nothing_has_no_result() -> None:
    assert run_of(report_factory().amended(ragate_version=""))["results"] == []


def test_a_metric_points_at_the_changed_setting_and_then_at_its_table() -> None:
    row = metric_row_factory("mrr", 0.9, 0.8, MetricVerdict.REGRESSED, blocks=True)
    piece = SliceRow(**row.model_dump(), slice="billing", samples=9)
    report = report_factory(decision_factory(Verdict.FAILED, [row]).amended(slices=(piece,)))
    lines = SourceLines(
        "rag/ragate.toml",
        metrics={"mrr": 7},
        slices={"billing": 11},
        changed=(ChangedPart(words="top_k = 1 (was 10)", path="rag/ragate.toml", line=40),),
    )
    of_metric, of_slice = run_of(report.amended(lines=lines))["results"]

    assert places(of_metric) == [("rag/ragate.toml", 40), ("rag/ragate.toml", 7)]
    assert places(of_slice) == [("rag/ragate.toml", 40), ("rag/ragate.toml", 11)]
    assert of_metric["message"]["text"].endswith("Changed here: top_k = 1 (was 10)")
    kept = run_of(report.amended(lines=SourceLines("ragate.toml", metrics={"mrr": 7})))
    assert places(kept["results"][0]) == [("ragate.toml", 7)]


def test_a_sample_points_at_its_line_and_a_must_pass_one_is_told_once() -> None:
    failing = MustPassRow(
        sample_id="q1", metric="mrr", pass_at=1, tries=3, failed=3, met=False, eligible=True
    )
    decision = decision_factory(Verdict.FAILED, metrics=[], must_pass=(failing,))
    rows = (sample_row_factory("q1", must_pass=True), sample_row_factory("q2"))
    lines = SourceLines("ragate.toml", samples={"q1": ("g/a b:ü.jsonl", 3), "q2": ("g.json", None)})
    first, second = run_of(report_factory(decision, samples=rows).amended(lines=lines))["results"]

    assert (first["ruleId"], first["level"]) == ("must-pass", "error")
    assert places(first) == [("g/a%20b%3A%C3%BC.jsonl", 3)]
    assert (second["ruleId"], second["level"]) == ("sample-worse", "note")
    assert places(second) == [("g.json", None)]


def test_samples_beyond_the_cap_are_counted() -> None:
    rows = tuple(sample_row_factory(f"q{i}") for i in range(sarif.MOST_SAMPLES + 7))
    run = run_of(report_factory(samples=rows).amended(left_out=4))

    assert len(run["results"]) == sarif.MOST_SAMPLES
    told = run["invocations"][0]["toolExecutionNotifications"][-1]["message"]["text"]
    assert told == (
        "not listed: 7 more samples got worse; 4 changed samples beyond those of the report"
    )


def test_a_fingerprint_stays_when_figures_move_and_is_one_findings_own() -> None:
    def prints(after: float) -> list[str]:
        rows = [
            metric_row_factory(name, 0.9, after, MetricVerdict.REGRESSED, blocks=True)
            for name in ("a", "b")
        ]
        results = run_of(report_factory(decision_factory(Verdict.FAILED, rows)))["results"]
        return [each["partialFingerprints"]["primaryLocationLineHash"] for each in results]

    assert prints(0.8) == prints(0.7)
    assert len(set(prints(0.8))) == 2


@pytest.mark.parametrize("text", EVIL)
def test_hostile_text_prints_harmlessly(text: str) -> None:
    report = report_made_of(text)
    run_of(report)
    written = sarif.render(report)

    assert "##[" not in written
    assert "::" not in written
    assert not [c for c in written if c != "\n" and not c.isprintable()]


@given(st.text(max_size=40))
def test_any_text_keeps_the_form_and_makes_no_link(text: str) -> None:
    lines = SourceLines(text or "x", samples={text or "x": (f"{text}/g", 1)})
    report = report_made_of(f"{text}[a](https://example.org)").amended(lines=lines)
    document = json.loads(sarif.render(report))

    for result in document["runs"][0]["results"]:
        assert "](" not in result["message"]["text"]
        uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        assert uri.isascii()


def test_what_the_policy_keeps_at_home_is_not_in_it() -> None:
    report = CASES["regression"]()
    assert "VAT is added" in sarif.render(report)
    kept = publishable(report.amended(publish="ids"))

    assert "VAT is added" not in sarif.render(kept)
    assert "billing/invoice.md" in sarif.render(kept)
