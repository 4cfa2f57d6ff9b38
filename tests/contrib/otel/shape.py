"""What a collector received of one run, without what differs from run to run.

Spans, events and metrics of one check were recorded so when ragate encoded its own messages
(`sent_before.json`); a test compares today's with them.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable
from typing import Any

from ragate.version import __version__
from tests.servers.collector import Collector, attributes

# Seconds, and how many judgements wait at some moment: another number each time.
UNSTEADY = {
    "gen_ai.client.operation.duration",
    "ragate.run.duration",
    "ragate.judge.queue",
}


def shape(seen: Collector, *, run_id: str) -> dict[str, Any]:
    """Return names, attributes, parents, counts, units and temporality of what was received."""
    spans = {span.span_id: span.name for span in seen.spans}
    (whole,) = {span.trace_id for span in seen.spans}
    told = {
        "resources": _counted(seen.resources),
        "spans": _counted(_span(span, spans) for span in seen.spans),
        "events": _counted(_event(event, spans, whole) for event in seen.events),
        "metrics": _metrics(seen),
    }
    text = json.dumps(told).replace(run_id, "RUN").replace(__version__, "VERSION")
    steady: dict[str, Any] = json.loads(text)
    return steady


def _span(span: Any, spans: dict[bytes, str]) -> dict[str, Any]:
    assert span.start_time_unix_nano <= span.end_time_unix_nano
    return {
        "name": span.name,
        "below": spans.get(span.parent_span_id),
        "kind": span.kind,
        "status": span.status.code,
        "flags": span.flags,
        "attributes": attributes(span),
    }


def _event(event: Any, spans: dict[bytes, str], whole: bytes) -> dict[str, Any]:
    assert event.trace_id == whole
    assert event.time_unix_nano > 0
    return {
        "name": event.event_name,
        "on": spans[event.span_id],
        "severity": event.severity_number,
        "flags": event.flags,
        "attributes": attributes(event),
    }


def _metrics(seen: Collector) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for metric in seen.metrics:
        kind = metric.WhichOneof("data")
        data = getattr(metric, kind)
        entry = found.setdefault(
            metric.name,
            {
                "kind": kind,
                "unit": metric.unit,
                "says": metric.description,
                "temporality": getattr(data, "aggregation_temporality", None),
                "monotonic": getattr(data, "is_monotonic", None),
                "points": {},
            },
        )
        for point in data.data_points:
            key = json.dumps(attributes(point), sort_keys=True)
            _add(entry["points"].setdefault(key, {}), point, metric.name)
    return found


def _add(held: dict[str, Any], point: Any, metric: str) -> None:
    """Add a point to those of the same attributes: a slow run sends its counts in parts."""
    assert not getattr(point, "exemplars", ())
    if hasattr(point, "bucket_counts"):
        held["count"] = held.get("count", 0) + point.count
        held["bounds"] = list(point.explicit_bounds)
        held["buckets"] = len(point.bucket_counts)
        if metric not in UNSTEADY:
            held["sum"] = held.get("sum", 0.0) + point.sum
        return
    kind = point.WhichOneof("value")
    held["type"] = kind
    if metric not in UNSTEADY:
        held["value"] = getattr(point, kind)


def _counted(entries: Iterable[dict[str, Any]]) -> dict[str, int]:
    """Return how many there are of each; its key order says nothing."""
    return dict(sorted(Counter(json.dumps(each, sort_keys=True) for each in entries).items()))
