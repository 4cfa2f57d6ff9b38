"""The manual's table, the dashboards and the rules against the list of names."""

from __future__ import annotations

import json
import re

import pytest

from ragate.contrib.otel import names
from ragate.spans import Spanned
from tools import telemetry_files
from tools.telemetry_files import BOARDS, DASHBOARDS, RULES

PAGE = telemetry_files.PAGE.read_text(encoding="utf-8")
ANEW = "python -m tools.telemetry_files writes it anew"


def test_the_table_of_metrics_is_of_today():
    assert telemetry_files.page(PAGE) == PAGE, ANEW


@pytest.mark.parametrize("uid", BOARDS)
def test_a_dashboard_is_of_today_and_in_the_manual(uid):
    held = json.loads((DASHBOARDS / f"{uid}.json").read_text(encoding="utf-8"))

    assert held == telemetry_files.dashboard(uid), ANEW
    assert f"[{held['title']}](../examples/telemetry/grafana/dashboards/{uid}.json)" in PAGE


def test_no_other_dashboard_lies_there():
    assert {each.stem for each in DASHBOARDS.iterdir()} == BOARDS.keys()


def test_the_rules_are_of_today():
    assert RULES.read_text(encoding="utf-8") == telemetry_files.rules(), ANEW


@pytest.mark.parametrize("kind", [kind for kind in Spanned if kind is not Spanned.OWN])
def test_every_span_is_in_the_manual(kind):
    assert re.search(rf"^\| `{names.SPANS[kind]}(?: MODEL)?` \|", PAGE, re.MULTILINE)


@pytest.mark.parametrize("span", [names.SCORECARD_SPAN, f"{names.STAGE_SPAN} STAGE"])
def test_every_span_of_a_scorecard_is_in_the_manual(span):
    assert f"| `{span}` |" in PAGE


@pytest.mark.parametrize("event", [names.EVALUATION, names.SAMPLE_TEXTS])
def test_every_event_is_in_the_manual(event):
    assert f"| `{event}` |" in PAGE


@pytest.mark.parametrize(
    "name",
    [
        *names.FACTS.values(),
        *(names.EVENT, names.VERDICT, names.EXIT_CODE, names.RUN_ID),
        *(names.PASSED, names.SCORE, names.STAGE, names.STAGE_REQUIRED, names.STAGE_STOPPED),
    ],
)
def test_every_attribute_is_in_the_manual(name):
    assert f"`{name}`" in PAGE
