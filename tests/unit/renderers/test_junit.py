"""The JUnit file: counts, results, and text that XML can hold."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.models import MetricVerdict, MustPassRow, Verdict
from ragate.renderers.junit import render
from tests.factories import decision_factory, metric_row_factory, report_factory
from tests.unit.renderers.cases import CASES


def cases_of(text: str) -> dict[str, str]:
    """Return the result of every test case by name."""
    root = ElementTree.fromstring(text)
    return {
        case.attrib["name"]: (case[0].tag if len(case) else "passed")
        for case in root.iter("testcase")
    }


@pytest.mark.parametrize("name", CASES)
def test_the_counts_are_those_of_the_cases_and_the_verdict_is_one(name):
    report = CASES[name]()
    text = render(report)
    results = list(cases_of(text).values())
    suite = ElementTree.fromstring(text)[0]
    for key, result in (("failures", "failure"), ("errors", "error"), ("skipped", "skipped")):
        assert int(suite.attrib[key]) == results.count(result)
    assert int(suite.attrib["tests"]) == len(results)
    assert (cases_of(text)["verdict"] == "passed") is (report.decision.exit_code == 0)


def test_a_verdict_by_a_checkouts_own_rules_says_so_before_its_cases():
    suite = ElementTree.fromstring(render(CASES["checkout_rules"]()))[0]
    (told,) = suite[0]
    assert told.attrib["name"] == "rules"
    assert told.attrib["value"].startswith("Judged by this checkout's own policy")
    assert ElementTree.fromstring(render(CASES["unchanged"]()))[0][0].tag == "testcase"


@pytest.mark.parametrize(
    ("fields", "result"),
    [
        ({"failed": 0, "met": True}, "passed"),
        ({"failed": 2}, "failure"),
        ({"failed": 2, "eligible": False}, "skipped"),  # it failed in the baseline as well
        ({"failed": 1, "scores": (0.0, None, 1.0)}, "error"),
    ],
)
def test_a_must_pass_sample_fails_where_it_blocks(fields, result):
    defaults = {"tries": 3, "met": False, "eligible": True}
    row = MustPassRow(sample_id="q1", metric="mrr", pass_at=1.0, **(defaults | fields))
    report = report_factory(decision_factory(metrics=[], must_pass=(row,)))

    assert cases_of(render(report))["must pass: q1"] == result


def test_what_blocks_fails_what_warns_is_skipped_and_what_is_unknown_is_an_error():
    rows = [
        metric_row_factory("a", 0.9, 0.8, MetricVerdict.REGRESSED, blocks=True),
        metric_row_factory("b", 0.9, 0.8, MetricVerdict.REGRESSED, level="warn"),
        metric_row_factory("c", None, None, MetricVerdict.NOT_MEASURED),
        metric_row_factory("d", 0.9, 0.9, MetricVerdict.HELD),
    ]
    found = cases_of(render(report_factory(decision_factory(Verdict.FAILED, rows))))
    assert found == {
        "a": "failure", "b": "skipped", "c": "error", "d": "passed", "verdict": "failure",
    }  # fmt: skip


@given(st.text(max_size=40))
def test_any_text_makes_well_formed_xml(text):
    row = metric_row_factory("m", 0.9, 0.8, MetricVerdict.REGRESSED, blocks=True, reason=text)
    decision = decision_factory(Verdict.FAILED, [row], reasons=(text, f"{text}]]>"))
    report = report_factory(decision).amended(gate=text)
    ElementTree.fromstring(render(report))
