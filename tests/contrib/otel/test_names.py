"""The manual's table, dashboard and rules against the list of names."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
import yaml

from ragate.contrib.otel import names
from ragate.spans import Spanned
from tools import telemetry_files

DOCS = Path(__file__).parents[3] / "docs"
PAGE = (DOCS / "workers.md").read_text(encoding="utf-8")
KNOWN = {telemetry_files.prometheus(each) for each in names.INSTRUMENTS}
ANEW = "python -m tools.telemetry_files writes it anew"


def metrics_in(query: str) -> set[str]:
    """Return the metrics that a query of Prometheus reads."""
    found = re.findall(r"\b(?:ragate|gen_ai)_\w+(?=[{\[])", query)
    return {name.removesuffix("_bucket") for name in found}


def test_the_table_of_metrics_is_of_today():
    assert telemetry_files.page(PAGE) == PAGE, ANEW


def test_the_dashboard_is_of_today():
    held = json.loads((DOCS / "telemetry" / "grafana.json").read_text(encoding="utf-8"))

    assert held == telemetry_files.dashboard(), ANEW


def test_the_rules_are_of_today():
    held = (DOCS / "telemetry" / "prometheus.yml").read_text(encoding="utf-8")

    assert held == telemetry_files.rules(), ANEW


def test_every_metric_has_a_panel_and_every_panel_reads_a_metric_that_is_sent():
    targets = [panel["targets"][0]["expr"] for panel in telemetry_files.dashboard()["panels"]]

    assert set().union(*map(metrics_in, targets)) == KNOWN


def test_every_rule_reads_a_metric_that_is_sent():
    (group,) = yaml.safe_load(telemetry_files.rules())["groups"]
    read = [metrics_in(rule["expr"]) for rule in group["rules"]]

    assert all(read)
    assert set().union(*read) <= KNOWN


@pytest.mark.parametrize("kind", [kind for kind in Spanned if kind is not Spanned.OWN])
def test_every_span_is_in_the_manual(kind):
    assert re.search(rf"^\| `{names.SPANS[kind]}(?: MODEL)?` \|", PAGE, re.MULTILINE)


@pytest.mark.parametrize("event", [names.EVALUATION, names.SAMPLE_TEXTS])
def test_every_event_is_in_the_manual(event):
    assert f"| `{event}` |" in PAGE


@pytest.mark.parametrize(
    "name",
    [*names.FACTS.values(), names.EVENT, names.VERDICT, names.EXIT_CODE, names.RUN_ID],
)
def test_every_attribute_is_in_the_manual(name):
    assert f"`{name}`" in PAGE
