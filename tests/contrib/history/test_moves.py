"""Where a metric moved, and how far it drifted."""

from dataclasses import replace
from datetime import date, timedelta

import pytest

from ragate.contrib.history.means import BaselineMeans
from ragate.contrib.history.read_history import (
    History,
    HistoryPoint,
    comparable,
    drift,
    moves,
    series,
)
from ragate.models import MetricInfo, Needs
from ragate.repository.git import FileCommit


def of_days(values: dict[int, float]) -> History:
    """Return a history: day -> mean of that day's commit."""
    points = []
    for day, value in values.items():
        at = date(2026, 1, 1) + timedelta(days=day)
        commit = FileCommit(f"{day:040x}", f"{at}T12:00:00+01:00", "change", "b")
        held = BaselineMeans({"mrr": value}, 9, None, {"mrr": MetricInfo(name="mrr")}, ())
        points.append(HistoryPoint(commit, held))
    return History("docs", "b.json", tuple(points))


@pytest.mark.parametrize(
    ("days", "expected"),
    [
        pytest.param(None, -0.5, id="all"),
        pytest.param(10, -0.25, id="from the mean that main had then"),
        pytest.param(30, -0.5, id="longer than the history"),
        pytest.param(5, 0.0, id="from a commit at its very beginning"),
        pytest.param(1, 0.0, id="nothing moved since"),
    ],
)
def test_drift_is_of_the_window(days: int | None, expected: float):
    found = of_days({0: 1.0, 5: 0.75, 20: 0.5, 25: 0.5})

    assert drift(found, "mrr", days=days) == expected


def test_small_steps_that_all_go_down_are_a_drift():
    found = of_days({day: 1.0 - day / 1000 for day in range(20)})

    assert drift(found, "mrr", days=30) == pytest.approx(-0.019)
    assert len(moves(found, "mrr")) == 19


def test_one_commit_alone_does_not_drift():
    assert drift(of_days({0: 1.0}), "mrr", days=30) is None


def test_a_metric_that_no_commit_holds_has_no_series():
    assert series(of_days({0: 1.0}), "map") == []
    assert drift(of_days({0: 1.0}), "map", days=30) is None


MRR = MetricInfo(name="mrr")
NEXT = MetricInfo(name="mrr", version=2)
JUDGED = MetricInfo(name="mrr", needs=Needs.JUDGE)
LOST = replace(of_days({0: 1.0}).points[0], held=None)


def point(metric: MetricInfo | None, judge: str | None = None) -> HistoryPoint:
    """Return a commit that measures a metric, or none, by a judge."""
    metrics = {} if metric is None else {metric.name: metric}
    return replace(LOST, held=BaselineMeans({}, 9, judge, metrics, ()))


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        pytest.param(point(MRR), point(MRR), True, id="nothing differs"),
        pytest.param(point(MRR), point(NEXT), False, id="another version"),
        pytest.param(point(MRR, "one"), point(MRR, "two"), True, id="no judge is asked"),
        pytest.param(point(JUDGED, "one"), point(JUDGED, "one"), True, id="a judge"),
        pytest.param(point(JUDGED, "one"), point(JUDGED, "two"), False, id="another"),
        pytest.param(point(MRR), point(None), False, id="measured no more"),
        pytest.param(point(None), point(MRR), False, id="measured now"),
        pytest.param(point(None), point(None), True, id="never measured"),
        pytest.param(LOST, point(MRR), False, id="no baseline before"),
        pytest.param(point(MRR), LOST, False, id="no baseline now"),
    ],
)
def test_two_points_compare_where_they_measure_alike(
    before: HistoryPoint, after: HistoryPoint, expected: bool
):
    assert comparable(before, after, "mrr") == expected
