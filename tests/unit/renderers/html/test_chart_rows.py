"""What the charts draw."""

from __future__ import annotations

from ragate.models import Direction, MetricVerdict, RankChange, RunDetails, SampleScores
from ragate.renderers.html.charts import (
    MOST_POINTS,
    interval_rows,
    moved_metrics,
    rank_rows,
    scatter_rows,
    unmoved_rows,
)
from tests.factories import decision_factory, metric_row_factory, report_factory, sample_row_factory

MRR = metric_row_factory("mrr", 1.0, 0.9)


def test_limits_lie_on_the_side_that_is_worse() -> None:
    rows = [
        metric_row_factory("mrr", 0.9, 0.8, allowed=0.01, mde=0.04),
        metric_row_factory("noise", 0.1, 0.2, direction=Direction.LOWER, allowed=0.01),
    ]

    report = report_factory(decision_factory(metrics=rows))
    drawn = {row["metric"]: row for row in interval_rows(report)["points"]}

    assert (drawn["mrr"]["allowed"], drawn["mrr"]["visible"]) == (-1.0, -4.0)
    assert (drawn["noise"]["allowed"], drawn["noise"]["visible"]) == (1.0, None)


def test_points_of_one_place_lie_beside_each_other_and_near_it() -> None:
    rows = tuple(sample_row_factory(f"q{n}", scores={"mrr": (1.0, 0.0)}) for n in range(50))

    points = scatter_rows(report_factory(samples=rows), MRR)

    assert len({(point["before"], point["now"]) for point in points}) == 50
    assert all(abs(point["before"] - 1) < 0.041 and abs(point["now"]) < 0.041 for point in points)
    assert [point["link"] for point in points[:2]] == ["#s0", "#s1"]


def test_at_most_so_many_points_are_drawn() -> None:
    rows = tuple(sample_row_factory(f"q{n}", scores={"mrr": (1.0, 0.0)}) for n in range(700))

    assert len(scatter_rows(report_factory(samples=rows), MRR)) == MOST_POINTS


def test_questions_that_did_not_move_are_counted_by_their_score() -> None:
    samples = [SampleScores(f"q{n}", "", (), (1.0,), (1.0 if n else 0.0,)) for n in range(3)]

    assert unmoved_rows(RunDetails(("mrr",), tuple(samples)), "mrr") == [{"at": 1.0, "count": 2}]


def test_a_document_that_fell_out_is_worse_and_one_that_came_is_better() -> None:
    ranks = (
        RankChange(doc_id="a", before=1, after=None),
        RankChange(doc_id="b", before=None, after=7),
        RankChange(doc_id="c", before=4, after=5),
    )
    row = sample_row_factory().amended(ranks=ranks)

    rows = rank_rows(report_factory(samples=(row,)))
    drawn = {(each["before"], each["now"]): each["tone"] for each in rows}

    assert drawn == {("1", "none"): "worse", ("none", "6–10"): "better", ("4–5", "4–5"): "calm"}


def test_what_blocks_is_drawn_before_what_moved_more() -> None:
    rows = (
        sample_row_factory("a", scores={"mrr": (1.0, 0.0), "f1": (1.0, 0.5)}),
        sample_row_factory("b", scores={"mrr": (1.0, 0.5)}),
    )
    decision = decision_factory(metrics=[MRR, metric_row_factory("f1", 1.0, 0.5, blocks=True)])

    assert [row.metric for row in moved_metrics(report_factory(decision, samples=rows))] == [
        "f1",
        "mrr",
    ]


def test_no_drop_is_visible_from_more_than_was_proven() -> None:
    row = metric_row_factory("mrr", verdict=MetricVerdict.REGRESSED, change=-0.094, mde=0.148)

    ((drawn,),) = interval_rows(report_factory(decision_factory(metrics=[row]))).values()

    assert drawn["visible"] is None
