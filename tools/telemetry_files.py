"""What of the manual is made from the list of metrics: the table, the dashboard and the rules.

``python tools/telemetry_files.py`` writes them anew; a test holds them to the list.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import yaml

from ragate.contrib.otel import names
from ragate.contrib.otel.names import INSTRUMENTS, Instrument

DOCS = Path(__file__).parents[1] / "docs"
PAGE = DOCS / "workers.md"
BEGIN, END = "<!-- metrics: begin -->", "<!-- metrics: end -->"
_COLUMNS, _HEIGHT = 24, 8
UNGATED = (names.JUDGING, names.TOKENS, names.CALL_DURATION)  # they carry no gate
_SOURCE = {"type": "prometheus", "uid": "${source}"}


def table() -> str:
    """Return the page's table of metrics."""
    lines = [
        "| metric | kind | unit | what it says | told apart by |",
        "| --- | --- | --- | --- | --- |",
    ]
    for each in INSTRUMENTS:
        apart = ", ".join(f"`{name}`" for name in each.attributes)
        lines.append(f"| `{each.name}` | {each.kind} | `{each.unit}` | {each.says} | {apart} |")
    return "\n".join(lines)


def page(text: str) -> str:
    """Return the page with today's table."""
    before, rest = text.split(BEGIN)
    return f"{before}{BEGIN}\n\n{table()}\n\n{END}{rest.split(END)[1]}"


def dashboard() -> dict[str, Any]:
    """Return the dashboard: one panel a metric, two in a row."""
    panels = [_panel(number, each) for number, each in enumerate(INSTRUMENTS)]
    return {
        "title": "ragate",
        "uid": "ragate",
        "schemaVersion": 39,
        "tags": ["ragate"],
        "time": {"from": "now-30d", "to": "now"},
        "templating": {
            "list": [
                {"name": "source", "type": "datasource", "query": "prometheus"},
                {
                    "name": "gate",
                    "type": "query",
                    "datasource": _SOURCE,
                    "query": f"label_values({prometheus(names.VERDICTS)}, {_label(names.GATE)})",
                    "includeAll": True,
                    "multi": True,
                },
            ]
        },
        "panels": panels,
    }


def rules() -> str:
    """Return the rules: red on main, what was not decided, and money."""
    verdicts, gate = prometheus(names.VERDICTS), _label(names.GATE)
    verdict, event = _label(names.VERDICT), _label(names.EVENT)
    on_main = f'{verdict}="failed", {event}=~"push|schedule"'
    alerts = [
        _alert(
            "RagateFailedOnMain",
            f"sum by ({gate}) (increase({verdicts}{{{on_main}}}[1d])) > 0",
            "The gate {{ $labels." + gate + " }} failed on main",
        ),
        _alert(
            "RagateNoDecision",
            f'sum by ({gate}) (increase({verdicts}{{{verdict}="no_decision"}}[1d])) > 2',
            "The gate {{ $labels." + gate + " }} came to no decision more than twice in a day",
        ),
        _alert(
            "RagateCost",
            f"sum(increase({prometheus(names.COST)}[1d])) > 50",
            "ragate's runs cost more than 50 dollars in a day",
        ),
    ]
    return yaml.safe_dump({"groups": [{"name": "ragate", "rules": alerts}]}, sort_keys=False)


def write() -> None:
    """Write all three."""
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    folder = DOCS / "telemetry"
    folder.mkdir(exist_ok=True)
    text = json.dumps(dashboard(), indent=2) + "\n"
    (folder / "grafana.json").write_text(text, encoding="utf-8")
    (folder / "prometheus.yml").write_text(rules(), encoding="utf-8")


def prometheus(each: Instrument) -> str:
    """Return the name under which Prometheus keeps a metric (OpenTelemetry's translation)."""
    words = "_seconds" if each.unit == "s" else ""
    end = "_total" if each.kind == "counter" else ""
    return each.name.replace(".", "_") + words + end


def _panel(number: int, each: Instrument) -> dict[str, Any]:
    by = [_label(name) for name in each.attributes]
    return {
        "id": number + 1,
        "type": "timeseries",
        "title": f"{each.says} ({each.name})",
        "datasource": _SOURCE,
        "gridPos": {
            "x": _COLUMNS // 2 * (number % 2),
            "y": _HEIGHT * (number // 2),
            "w": _COLUMNS // 2,
            "h": _HEIGHT,
        },
        "fieldConfig": {
            "defaults": {"unit": {"s": "s", "{USD}": "currencyUSD"}.get(each.unit, "none")}
        },
        "targets": [
            {
                "refId": "A",
                "expr": _query(each, by),
                "legendFormat": " ".join(f"{{{{{label}}}}}" for label in by) or each.says,
            }
        ],
    }


def _query(each: Instrument, by: list[str]) -> str:
    chosen = f'{{{_label(names.GATE)}=~"$gate"}}' if each not in UNGATED else "{}"
    groups = f" by ({', '.join(by)})" if by else ""
    if each.kind == "gauge":
        return f"max{groups} ({prometheus(each)}{chosen})"
    if each.kind == "counter":
        return f"sum{groups} (increase({prometheus(each)}{chosen}[$__interval]))"
    buckets = f" by ({', '.join(['le', *by])})"
    return (
        f"histogram_quantile(0.95, sum{buckets} "
        f"(rate({prometheus(each)}_bucket{chosen}[$__rate_interval])))"
    )


def _alert(name: str, expression: str, says: str) -> dict[str, Any]:
    return {"alert": name, "expr": expression, "annotations": {"summary": says}}


def _label(attribute: str) -> str:
    return attribute.replace(".", "_")


if __name__ == "__main__":
    write()
