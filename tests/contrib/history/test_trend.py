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


def test_a_picture_has_its_first_and_last_commit_at_its_ends_and_dates_below_them() -> None:
    rows = [
        {"at": day * DAY, "value": value, "segment": 0}
        for day, value in ((0, 0.0), (2, 1.0), (4, 0.5))
    ]

    shown = read(trend(rows, [], [], "trend"))

    places = {node.text: node.get("x") for node in shown.iter("text")}
    circles = [(node.get("cx"), node.get("cy")) for node in shown.iter("circle")]
    assert circles == [("52", "126"), ("202", "6"), ("352", "66")]
    assert (places["1 Jan 70"], places["3 Jan 70"]) == ("52", "202")
    assert {"0", "0.5", "1"} == {text for text in places if text and "Jan" not in text}
