"""What is drawn lies where its number says, by the picture's own ticks."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.renderers.html import drawings
from ragate.renderers.html.drawings import axis

NUMBERS = st.floats(-1e6, 1e6, allow_nan=False)


def read(svg: str) -> ElementTree.Element:
    return ElementTree.fromstring(svg)


def number(words: str) -> float:
    return float(words.replace("−", "-").replace(",", ""))


def scale(shown: ElementTree.Element, anchor: str, place: str) -> Callable[[float], float]:
    """Return what a place is worth, by the labels of an axis."""
    ticks = []
    for node in shown.iter("text"):
        if node.get("text-anchor") == anchor and node.get("transform") is None:
            try:
                ticks.append((float(node.attrib[place]), number(node.text or "")))
            except ValueError:
                continue
    (one, low), (other, high) = ticks[0], ticks[-1]
    return lambda at: low + (at - one) / (other - one) * (high - low)


def across(shown: ElementTree.Element) -> Callable[[float], float]:
    return scale(shown, "middle", "x")


def up(shown: ElementTree.Element) -> Callable[[float], float]:
    found = scale(shown, "end", "y")
    return lambda at: found(at + 4)  # a label's baseline lies below its tick


def about(value: float) -> Any:
    return pytest.approx(value, rel=0.02, abs=0.02)


ROW = {
    "metric": "faithfulness",
    "levels": "91 → 83",
    "tone": "bad",
    "change": -8.0,
    "low": -11.0,
    "high": -5.0,
    "allowed": -1.0,
    "visible": None,
}


def test_an_interval_lies_where_its_numbers_say() -> None:
    shown = read(drawings.intervals([ROW], "change"))
    value = across(shown)
    (dot,) = shown.iter("circle")
    whole = next(line for line in shown.iter("line") if line.get("stroke-linecap"))
    gold = next(line for line in shown.iter("line") if line.get("stroke") == "var(--look)")

    assert value(float(dot.attrib["cx"])) == about(-8.0)
    assert [value(float(whole.attrib[end])) for end in ("x1", "x2")] == [about(-11.0), about(-5.0)]
    assert value(float(gold.attrib["x1"])) == about(-1.0)
    assert dot.get("fill") == "var(--bad)"


def test_a_limit_that_nobody_set_is_not_drawn() -> None:
    shown = drawings.intervals([{**ROW, "allowed": None}], "change")

    assert "var(--look)" not in shown


def test_each_question_is_a_point_that_leads_to_it() -> None:
    rows = [
        {"before": 1.0, "now": 0.25, "link": "#s7", "name": "q<7>: 1 → 0.25", "tone": "worse"},
        {"before": 0.0, "now": 1.0, "link": "#s8", "name": "q8: 0 → 1", "tone": "better"},
    ]
    shown = read(drawings.scatter(rows, [{"at": 0.5, "count": 4}], [0.0, 1.0], "q"))

    assert [link.get("href") for link in shown.iter("a")] == ["#s7", "#s8"]
    assert [link.findtext("title") for link in shown.iter("a")] == [row["name"] for row in rows]
    for row, link in zip(rows, shown.iter("a"), strict=True):
        (point,) = link.iter("circle")
        assert across(shown)(float(point.attrib["cx"])) == about(float(str(row["before"])))
        assert up(shown)(float(point.attrib["cy"])) == about(float(str(row["now"])))
    still = next(shown.iter("circle"))
    assert across(shown)(float(still.attrib["cx"])) == about(0.5)


def test_the_area_of_a_rank_goes_by_how_many_there_are() -> None:
    rows = [
        {"before": "1", "now": "none", "count": 40, "tone": "worse"},
        {"before": "4–5", "now": "2", "count": 4, "tone": "better"},
    ]
    shown = read(drawings.ranks(rows, "ranks"))
    places = {
        node.text: (float(node.attrib["x"]), float(node.attrib["y"])) for node in shown.iter("text")
    }
    one, other = (
        [float(circle.attrib[key]) for key in ("cx", "cy", "r")] for circle in shown.iter("circle")
    )

    assert [math.pi * r**2 for _, _, r in (one, other)] == [about(900.0), about(252.0)]
    assert places["40"] == (about(one[0]), about(one[1] + 4))
    assert one[0] < other[0]
    assert one[1] > other[1]


def test_a_bar_of_what_was_spent_is_as_long_as_its_value() -> None:
    rows = [
        {"metric": "latency", "side": side, "value": value, "figure": f"{value} s"}
        for side, value in (("before", 1.0), ("now", 2.0))
    ]
    shown = read(drawings.bars(rows, "spent"))
    before, now = (float(bar.attrib["width"]) for bar in shown.iter("rect"))

    assert now == about(2 * before)
    assert {"1.0 s", "2.0 s"} <= {node.text for node in shown.iter("text")}


@given(st.lists(NUMBERS, min_size=1, max_size=20))
def test_an_axis_holds_all_of_its_values_between_its_ends(values: list[float]) -> None:
    made = axis(values, 10.0, 110.0)

    assert 2 <= len(made.ticks) <= 9
    assert list(made.ticks) == sorted(set(made.ticks))
    assert all(10.0 - 1e-3 <= made.at(value) <= 110.0 + 1e-3 for value in values)


def test_ten_thousand_points_are_one_picture() -> None:
    rows = [
        {"before": n / 10_000, "now": n % 7, "link": "#s1", "name": "q", "tone": "worse"}
        for n in range(10_000)
    ]

    shown = read(drawings.scatter(rows, [], [0.0, 6.0], "q"))

    assert len(list(shown.iter("a"))) == 10_000


def test_words_and_values_are_no_mark_up() -> None:
    hostile = "<script>alert('1')</script>\"&"
    row = {"before": 1.0, "now": 0.0, "link": hostile, "name": hostile, "tone": hostile}
    shown = drawings.scatter([row], [], [0.0, 1.0], hostile)
    (link,) = read(shown).iter("a")

    assert "<script" not in shown
    assert link.findtext("title") == link.get("href") == hostile
    assert read(shown).get("aria-label") == hostile
