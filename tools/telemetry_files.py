"""What of the manual and the examples is made from the list of metrics.

The page's table, the three dashboards and the alert rules. ``python -m tools.telemetry_files``
writes them anew; tests hold them to the list, and to what a real run sends.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from ragate.contrib.otel import names
from ragate.contrib.otel.names import INSTRUMENTS, Instrument

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "telemetry.md"
EXAMPLE = ROOT / "examples" / "telemetry"
DASHBOARDS = EXAMPLE / "grafana" / "dashboards"
RULES = EXAMPLE / "prometheus" / "alerts.yaml"
BEGIN, END = "<!-- metrics: begin -->", "<!-- metrics: end -->"
_COLUMNS, _HEIGHT = 24, 8
_SOURCE = {"type": "prometheus", "uid": "${source}"}
_UNITS = {"s": "_seconds"}


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


# Names and queries of Prometheus.


def prometheus(each: Instrument) -> str:
    """Return the name under which Prometheus keeps a metric.

    A unit in braces is dropped, a second one after a slash stays: `{sample}/s` is `_per_second`.

    Source:
        The section on names of OpenTelemetry's specification for Prometheus.
    """
    unit, _, per = each.unit.partition("/")
    words = _UNITS.get(unit, "") + {"": "", "s": "_per_second"}[per]
    end = "_total" if each.kind == "counter" else ""
    return each.name.replace(".", "_") + words + end


def label(attribute: str) -> str:
    """Return what Prometheus calls an attribute."""
    return attribute.replace(".", "_")


_GATE = f'{label(names.GATE)}=~"$gate"'
_STAGE, _STATE, _METRIC = label(names.STAGE), label(names.STATE), label(names.METRIC)
_SIDE, _VERDICT, _EVENT = label(names.SIDE), label(names.VERDICT), label(names.EVENT)
_KIND, _NAME = label(names.GROUP_KIND), label(names.GROUP_NAME)
_MODEL, _TOKEN = label(names.MODEL), label(names.TOKEN_TYPE)
# Metrics that tell nothing of one gate.
_UNGATED = {
    each.name
    for each in (
        *(names.JUDGING, names.ASKING, names.JUDGE_PACE, names.SAMPLE_PACE),
        *(names.TOKENS, names.CALL_DURATION),
    )
}


def chosen(each: Instrument, *matchers: str, suffix: str = "") -> str:
    """Return the series of a metric, of the gates that the dashboard shows."""
    gate = () if each.name in _UNGATED else (_GATE,)
    return f"{prometheus(each)}{suffix}{{{', '.join((*gate, *matchers))}}}"


def total(each: Instrument, by: str, *matchers: str) -> str:
    """Return what was counted since the collector started: there from the first run on."""
    return f"sum by ({by}) ({chosen(each, *matchers)})"


def counted(each: Instrument, by: str, *matchers: str) -> str:
    """Return what was counted a day."""
    groups = f" by ({by})" if by else ""
    return f"sum{groups} (increase({chosen(each, *matchers)}[1d]))"


def share(each: Instrument, by: str, state: str) -> str:
    """Return which share of all has a state."""
    of_state = total(each, by, f'{_STATE}="{state}"')
    return f"{of_state} / {total(each, by)}"


def quantile(each: Instrument, part: float, by: Sequence[str] = ()) -> str:
    """Return a quantile of a histogram."""
    series = f"increase({chosen(each, suffix='_bucket')}[1d])"
    return f"histogram_quantile({part}, sum by ({', '.join(['le', *by])}) ({series}))"


def means(matcher: str) -> str:
    """Return the candidate's newest mean of metrics."""
    series = chosen(names.SCORES, f'{_SIDE}="candidate"', f'{_METRIC}=~"{matcher}"')
    return f"max by ({_METRIC}) ({series})"


# The dashboards.


@dataclass(frozen=True)
class Panel:
    """One panel.

    Attributes:
        queries: Each with its legend.
        unit: As Grafana names it.
    """

    title: str
    queries: tuple[tuple[str, str], ...]
    unit: str = "none"
    kind: str = "timeseries"
    width: int = 12


def _one(title: str, query: str, legend: str, **more: Any) -> Panel:
    return Panel(title, ((query, legend),), **more)


_PASS_RATES = _one(
    "Pass rate by stage",
    share(names.STAGES, _STAGE, "passed"),
    f"{{{{{_STAGE}}}}}",
    unit="percentunit",
    kind="bargauge",
)
_LAST_PASS_RATE = _one(
    "Pass rate and overall score of the newest run",
    means("pass_rate|overall_score"),
    f"{{{{{_METRIC}}}}}",
)
QUALITY = (
    _one(
        "Runs by verdict",
        total(names.VERDICTS, _VERDICT),
        f"{{{{{_VERDICT}}}}}",
        kind="stat",
        width=24,
    ),
    _LAST_PASS_RATE,
    _PASS_RATES,
    _one(
        "Every metric, candidate and baseline",
        f"max by ({_METRIC}, {_SIDE}) ({chosen(names.SCORES)})",
        f"{{{{{_METRIC}}}}} {{{{{_SIDE}}}}}",
    ),
    _one(
        "Answers that changed, a day",
        counted(names.CHANGES, _STATE, f'{_STATE}!="same"'),
        f"{{{{{_STATE}}}}}",
    ),
    _one("US dollars, a day", counted(names.COST, ""), "cost", unit="currencyUSD"),
    _one(
        "Tokens of a call by model, 95 of 100 below",
        quantile(names.TOKENS, 0.95, [_MODEL, _TOKEN]),
        f"{{{{{_MODEL}}}}} {{{{{_TOKEN}}}}}",
    ),
    Panel(
        "Seconds of a run",
        (
            (quantile(names.DURATION, 0.5), "half below"),
            (quantile(names.DURATION, 0.95), "95 of 100 below"),
        ),
        unit="s",
    ),
    _one(
        "Seconds of a call by model, 95 of 100 below",
        quantile(names.CALL_DURATION, 0.95, [_MODEL]),
        f"{{{{{_MODEL}}}}}",
        unit="s",
    ),
)
ANSWERS = (
    _PASS_RATES,
    _LAST_PASS_RATE,
    _one(
        "Stages that samples pass and fail, a day",
        counted(names.STAGES, f"{_STAGE}, {_STATE}"),
        f"{{{{{_STAGE}}}}} {{{{{_STATE}}}}}",
    ),
    _one(
        "Retrieval",
        means("(recall|precision|hit_rate|mrr|ndcg|map|all_found).*"),
        f"{{{{{_METRIC}}}}}",
    ),
    _one(
        "Faithfulness and citations",
        means(".*(faithful|ground|entail|citation|hallucination|lexical_support).*"),
        f"{{{{{_METRIC}}}}}",
    ),
    _one(
        "Relevance and correctness",
        means(".*(relevan|correct|sufficien|token_f1|exact_match|contains|rouge).*"),
        f"{{{{{_METRIC}}}}}",
    ),
    _one(
        "Pass rate by tag and field (source type, complexity, …)",
        share(names.GROUPS, f"{_KIND}, {_NAME}", "passed"),
        f"{{{{{_KIND}}}}}: {{{{{_NAME}}}}}",
        unit="percentunit",
        kind="bargauge",
        width=24,
    ),
)
RUNS = (
    _one("Questions waited for", f"max ({chosen(names.ASKING)})", "questions"),
    _one("Judgements waited for", f"max ({chosen(names.JUDGING)})", "judgements"),
    _one("Questions a second", f"sum ({chosen(names.SAMPLE_PACE)})", "questions", unit="ops"),
    _one("Judgements a second", f"sum ({chosen(names.JUDGE_PACE)})", "judgements", unit="ops"),
    _one(
        "Samples that failed or have no score, a day",
        counted(names.SAMPLES, _STATE, f'{_STATE}!="measured"'),
        f"{{{{{_STATE}}}}}",
    ),
    _one(
        "Failing share by stage",
        share(names.STAGES, _STAGE, "failed"),
        f"{{{{{_STAGE}}}}}",
        unit="percentunit",
        kind="bargauge",
    ),
    _one(
        "Runs that came to their end, a day",
        counted(names.VERDICTS, f"{_EVENT}, {_VERDICT}"),
        f"{{{{{_EVENT}}}}} {{{{{_VERDICT}}}}}",
    ),
    _one(
        "Calls of models, and those that were not paid again",
        counted(names.CALLS, label(names.REUSED)),
        f"reused {{{{{label(names.REUSED)}}}}}",
    ),
)
BOARDS: dict[str, tuple[str, tuple[Panel, ...]]] = {
    "ragate-quality": ("ragate: quality", QUALITY),
    "ragate-answers": ("ragate: retrieval and answers", ANSWERS),
    "ragate-runs": ("ragate: runs", RUNS),
}


def dashboard(uid: str) -> dict[str, Any]:
    """Return one of `BOARDS` as Grafana reads it."""
    title, panels = BOARDS[uid]
    return {
        "title": title,
        "uid": uid,
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
                    "query": f"label_values({prometheus(names.VERDICTS)}, {label(names.GATE)})",
                    "refresh": 2,  # with the time range: without it there are no values at all
                    "includeAll": True,
                    "multi": True,
                    "current": {"text": ["All"], "value": ["$__all"]},
                },
            ]
        },
        "panels": list(_placed(panels)),
    }


def _placed(panels: Sequence[Panel]) -> Any:
    """Yield the panels, row by row from the left."""
    across = down = 0
    for number, panel in enumerate(panels, 1):
        if across + panel.width > _COLUMNS:
            across, down = 0, down + _HEIGHT
        place = {"x": across, "y": down, "w": panel.width, "h": _HEIGHT}
        across += panel.width
        targets = [
            {"refId": chr(ord("A") + place), "expr": query, "legendFormat": legend}
            for place, (query, legend) in enumerate(panel.queries)
        ]
        yield {
            "id": number,
            "type": panel.kind,
            "title": panel.title,
            "datasource": _SOURCE,
            "gridPos": place,
            "fieldConfig": {"defaults": {"unit": panel.unit}, "overrides": []},
            "targets": targets,
        }


# The rules.


def rules() -> str:
    """Return the rules: red on main, what was not decided, a queue that stands still, and money."""
    verdicts, gate = prometheus(names.VERDICTS), label(names.GATE)
    on_main = f'{_VERDICT}="failed", {_EVENT}=~"push|schedule"'
    still = (
        f"max({prometheus(names.SAMPLE_PACE)}{{}}) == 0 and max({prometheus(names.ASKING)}{{}}) > 0"
    )
    alerts = [
        _alert(
            "RagateFailedOnMain",
            f"sum by ({gate}) (increase({verdicts}{{{on_main}}}[1d])) > 0",
            "The gate {{ $labels." + gate + " }} failed on main",
        ),
        _alert(
            "RagateNoDecision",
            f'sum by ({gate}) (increase({verdicts}{{{_VERDICT}="no_decision"}}[1d])) > 2',
            "The gate {{ $labels." + gate + " }} came to no decision more than twice in a day",
        ),
        _alert("RagateStandsStill", still, "Questions wait, and none is answered"),
        _alert(
            "RagateCost",
            f"sum(increase({prometheus(names.COST)}{{}}[1d])) > 50",
            "ragate's runs cost more than 50 dollars in a day",
        ),
    ]
    return yaml.safe_dump({"groups": [{"name": "ragate", "rules": alerts}]}, sort_keys=False)


def _alert(name: str, expression: str, says: str) -> dict[str, Any]:
    return {"alert": name, "expr": expression, "annotations": {"summary": says}}


def write() -> None:
    """Write all of it."""
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
    DASHBOARDS.mkdir(parents=True, exist_ok=True)
    for uid in BOARDS:
        text = json.dumps(dashboard(uid), indent=2, ensure_ascii=False) + "\n"
        (DASHBOARDS / f"{uid}.json").write_text(text, encoding="utf-8")
    RULES.parent.mkdir(parents=True, exist_ok=True)
    RULES.write_text(rules(), encoding="utf-8")


if __name__ == "__main__":
    write()
