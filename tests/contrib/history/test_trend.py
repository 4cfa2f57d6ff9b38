"""A metric over time as a picture."""

from __future__ import annotations

from ragate.contrib.history.trend import trend
from tests.unit.renderers.html.test_drawings import about, read, up

DAY = 86_400_000


def test_a_line_over_time_breaks_where_its_segment_ends() -> None:
    rows = [
        {"at": day * DAY, "value": value, "segment": segment}
        for day, value, segment in ((0, 0.8, 0), (2, 0.9, 0), (4, 0.7, 1))
    ]
    runs = [{"at": DAY, "value": 0.85}]
    shown = read(trend(rows, runs, [2 * DAY], "trend"))
    points = [float(circle.attrib["cy"]) for circle in shown.iter("circle")]
    dashed = [line for line in shown.iter("line") if line.get("stroke-dasharray")]

    assert len(list(shown.iter("path"))) == 2
    assert [up(shown)(at) for at in points] == [about(value) for value in (0.8, 0.9, 0.7, 0.85)]
    assert dashed[0].get("x1") == list(shown.iter("circle"))[1].get("cx")
    assert {"1 Jan 70", "3 Jan 70"} <= {node.text for node in shown.iter("text")}
