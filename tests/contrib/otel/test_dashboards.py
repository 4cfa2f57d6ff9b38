"""Every query of a dashboard and of a rule reads what a real run sent, under Prometheus's names.

What the collector of the tests received is named here as OpenTelemetry's collector names it for
Prometheus, apart from how the dashboards were written: a metric, a unit or an attribute that is
called otherwise from now on leaves a query without an answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from ragate.contrib.otel.names import INSTRUMENTS
from tests.contrib.otel.conftest import Checked
from tests.servers.collector import Collector, attributes
from tools.telemetry_files import BOARDS, DASHBOARDS, RULES

jsonschema = pytest.importorskip("jsonschema")
pytestmark = pytest.mark.integration
_SELECTOR = re.compile(r"\b[a-z_]\w*(?=\{)")
_MATCHER = re.compile(r"(\w+)\s*(?:=~|!=|!~|=)\s*\"")
_BY = re.compile(r"\bby \(([^)]*)\)")
_LEGEND = re.compile(r"{{\s*(?:\$labels\.)?(\w+)\s*}}")
_UNITS = {"s": "seconds", "ms": "milliseconds", "By": "bytes", "1": ""}
_PER = {"s": "per_second", "m": "per_minute"}


def prometheus_names(metric: Any) -> set[str]:
    """Return the names of a metric's series, by the rules of OpenTelemetry for Prometheus."""
    kind = metric.WhichOneof("data")
    main, _, per = metric.unit.partition("/")
    words = [re.sub(r"\W", "_", metric.name)]
    words += [] if main.startswith("{") else [_UNITS[main]] * bool(_UNITS.get(main, main))
    words += [_PER[per]] if per else []
    if kind == "sum" and metric.sum.is_monotonic:
        words.append("total")
    if kind == "gauge" and metric.unit == "1":
        words.append("ratio")
    name = "_".join(words)
    return (
        {f"{name}_{part}" for part in ("bucket", "sum", "count")} if kind == "histogram" else {name}
    )


def received(seen: Collector) -> dict[str, set[str]]:
    """Return the labels of every series that would be in Prometheus, by its name."""
    found: dict[str, set[str]] = {}
    for metric in seen.metrics:
        points = getattr(metric, metric.WhichOneof("data")).data_points
        labels = {re.sub(r"\W", "_", key) for point in points for key in attributes(point)}
        for name in prometheus_names(metric):
            more = {"le"} if name.endswith("_bucket") else set()
            found[name] = found.get(name, set()) | labels | more
    return found


def queries() -> Iterator[tuple[str, str, str]]:
    """Yield where a query stands, the query, and the text that shows its labels."""
    for uid in BOARDS:
        board = json.loads((DASHBOARDS / f"{uid}.json").read_text(encoding="utf-8"))
        for panel in board["panels"]:
            for target in panel["targets"]:
                where = f"{uid}: {panel['title']}: {target['refId']}"
                yield where, target["expr"], target["legendFormat"]
    (group,) = yaml.safe_load(RULES.read_text(encoding="utf-8"))["groups"]
    for rule in group["rules"]:
        yield rule["alert"], rule["expr"], rule["annotations"]["summary"]


QUERIES = list(queries())


def metrics_of(query: str) -> set[str]:
    return set(_SELECTOR.findall(query))


@pytest.mark.parametrize(("where", "query", "legend"), QUERIES, ids=[each[0] for each in QUERIES])
def test_a_query_reads_metrics_and_labels_that_a_run_sent(
    scored: Checked, where: str, query: str, legend: str
) -> None:
    series = received(scored.seen)
    metrics = metrics_of(query)
    grouped = {name.strip() for names in _BY.findall(query) for name in names.split(",") if name}
    labels = {*_MATCHER.findall(query), *grouped, *_LEGEND.findall(legend)}

    assert metrics
    assert metrics <= series.keys(), f"{where}: {metrics - series.keys()}"
    for metric in metrics:
        assert labels <= series[metric], f"{where}: {labels - series[metric]}"


@pytest.mark.parametrize(("where", "query", "legend"), QUERIES, ids=[each[0] for each in QUERIES])
def test_a_query_looks_for_states_and_sides_that_there_are(
    scored: Checked, where: str, query: str, legend: str
) -> None:
    del legend
    told = [
        attributes(point)
        for metric in scored.seen.metrics
        for point in getattr(metric, metric.WhichOneof("data")).data_points
    ]
    known = {(re.sub(r"\W", "_", key), value) for each in told for key, value in each.items()}

    for label, value in re.findall(r"(ragate_(?:state|side))!?=\"(\w+)\"", query):
        assert (label, value) in known, where


def test_every_metric_that_a_run_sends_is_in_a_dashboard(scored: Checked) -> None:
    read = set().union(*(metrics_of(query) for _, query, _ in QUERIES))
    sent = {each.name: prometheus_names(each) for each in scored.seen.metrics}

    assert sent.keys() == {each.name for each in INSTRUMENTS}
    assert [name for name, series in sent.items() if not series & read] == []


def test_the_gates_variable_reads_what_a_run_sent(scored: Checked) -> None:
    series = received(scored.seen)
    for uid in BOARDS:
        board = json.loads((DASHBOARDS / f"{uid}.json").read_text(encoding="utf-8"))
        _, gate = board["templating"]["list"]
        metric, label = re.fullmatch(r"label_values\((\w+), (\w+)\)", gate["query"]).groups()  # type: ignore[union-attr]
        assert label in series[metric]


@pytest.mark.parametrize(("where", "query", "legend"), QUERIES, ids=[each[0] for each in QUERIES])
def test_the_brackets_of_a_query_close(where: str, query: str, legend: str) -> None:
    del legend
    closing = {")": "(", "]": "[", "}": "{"}
    opened: list[str] = []
    for sign in re.sub(r'"[^"]*"', "", query):
        if sign in closing.values():
            opened.append(sign)
        elif sign in closing:
            assert opened.pop() == closing[sign], where
    assert not opened, where


def test_a_unit_of_one_would_be_a_ratio() -> None:
    """The rules themselves, on what the lists of ragate do not have."""

    class Gauge:
        name, unit = "a.b", "1"

        def WhichOneof(self, _group: str) -> str:  # noqa: N802 - as of protobuf
            return "gauge"

    assert prometheus_names(Gauge()) == {"a_b_ratio"}


# What of Grafana's model of a dashboard ours use: no other key, and no key missing.
PANEL = {
    "type": "object",
    "additionalProperties": False,
    "required": ["id", "type", "title", "datasource", "gridPos", "fieldConfig", "targets"],
    "properties": {
        "id": {"type": "integer", "minimum": 1},
        "type": {"enum": ["timeseries", "stat", "bargauge", "table"]},
        "title": {"type": "string", "minLength": 3},
        "datasource": {"$ref": "#/$defs/source"},
        "gridPos": {
            "type": "object",
            "additionalProperties": False,
            "required": ["x", "y", "w", "h"],
            "properties": {
                "x": {"type": "integer", "minimum": 0, "maximum": 23},
                "y": {"type": "integer", "minimum": 0},
                "w": {"type": "integer", "minimum": 1, "maximum": 24},
                "h": {"type": "integer", "minimum": 1},
            },
        },
        "fieldConfig": {
            "type": "object",
            "additionalProperties": False,
            "required": ["defaults", "overrides"],
            "properties": {
                "defaults": {
                    "type": "object",
                    "additionalProperties": False,
                    "properties": {
                        "unit": {"enum": ["none", "s", "ops", "percentunit", "currencyUSD"]}
                    },
                },
                "overrides": {"type": "array", "maxItems": 0},
            },
        },
        "targets": {
            "type": "array",
            "minItems": 1,
            "items": {
                "type": "object",
                "additionalProperties": False,
                "required": ["refId", "expr", "legendFormat"],
                "properties": {
                    "refId": {"type": "string", "pattern": "^[A-Z]$"},
                    "expr": {"type": "string", "minLength": 1},
                    "legendFormat": {"type": "string", "minLength": 1},
                },
            },
        },
    },
}
BOARD = {
    "$defs": {
        "source": {
            "type": "object",
            "additionalProperties": False,
            "required": ["type", "uid"],
            "properties": {"type": {"const": "prometheus"}, "uid": {"const": "${source}"}},
        }
    },
    "type": "object",
    "additionalProperties": False,
    "required": ["title", "uid", "schemaVersion", "tags", "time", "templating", "panels"],
    "properties": {
        "title": {"type": "string"},
        "uid": {"type": "string", "pattern": "^[a-zA-Z0-9_-]{1,40}$"},
        "schemaVersion": {"type": "integer", "minimum": 36},
        "tags": {"type": "array", "items": {"type": "string"}},
        "time": {
            "type": "object",
            "additionalProperties": False,
            "required": ["from", "to"],
            "properties": {"from": {"pattern": "^now-"}, "to": {"const": "now"}},
        },
        "templating": {
            "type": "object",
            "additionalProperties": False,
            "required": ["list"],
            "properties": {
                "list": {
                    "type": "array",
                    "minItems": 2,
                    "items": {
                        "type": "object",
                        "required": ["name", "type", "query"],
                        "properties": {
                            "type": {"enum": ["datasource", "query"]},
                            "refresh": {"enum": [1, 2]},
                        },
                    },
                }
            },
        },
        "panels": {"type": "array", "minItems": 4, "items": PANEL},
    },
}


@pytest.mark.parametrize("uid", BOARDS)
def test_a_dashboard_has_the_shape_that_grafana_reads(uid: str) -> None:
    board = json.loads((DASHBOARDS / f"{uid}.json").read_text(encoding="utf-8"))

    jsonschema.Draft202012Validator(BOARD).validate(board)
    assert len({panel["id"] for panel in board["panels"]}) == len(board["panels"])
    taken = [
        (across, down)
        for place in (panel["gridPos"] for panel in board["panels"])
        for across in range(place["x"], place["x"] + place["w"])
        for down in range(place["y"], place["y"] + place["h"])
    ]
    assert len(set(taken)) == len(taken)  # no panel lies on another
    assert max(across for across, _ in taken) < 24
    variables = {each["name"] for each in board["templating"]["list"]}
    used = set(re.findall(r"\$\{?([a-z]+)\b", json.dumps(board["panels"])))
    assert used == variables
