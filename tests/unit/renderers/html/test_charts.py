"""The charts of a report."""

from __future__ import annotations

import html

import pytest

from ragate.models import Direction, MetricVerdict, RankChange, RunDetails, SampleScores
from ragate.renderers.html.charts import (
    MOST_POINTS,
    MOST_TAGS,
    charts_of,
    heat_table,
    interval_rows,
    moved_metrics,
    rank_rows,
    scatter_rows,
    unmoved_rows,
)
from tests.factories import decision_factory, metric_row_factory, report_factory, sample_row_factory
from tests.unit.renderers.cases import CASES
from tests.unit.renderers.html.test_page import HOSTILE, hostile_report


def titles(report) -> list[str]:
    return [chart.title for chart in charts_of(report)]


def test_a_red_report_has_a_chart_for_each_question_that_a_reader_asks() -> None:
    assert titles(CASES["regression"]()) == [
        "Change of each metric, points",
        "faithfulness, questions",
        "hit_rate@10, questions",
        "Ranks of expected documents",
    ]


def test_what_answers_took_is_drawn_where_a_metric_measures_it() -> None:
    assert "Cost and time" in titles(CASES["improvement"]())


def test_one_sample_none_and_none_with_a_number_are_drawn_or_left_out() -> None:
    lone = report_factory(samples=(sample_row_factory(),))
    empty = metric_row_factory(baseline=None, candidate=None)
    unscored = sample_row_factory(scores={"faithfulness": (1.0, None)})

    assert "faithfulness, questions" in titles(lone)
    assert titles(report_factory(decision_factory(metrics=[]))) == []
    assert titles(report_factory(decision_factory(metrics=[empty]), samples=(unscored,))) == [
        "Ranks of expected documents"
    ]


def test_scores_without_a_spread_are_drawn() -> None:
    details = RunDetails(("faithfulness",), (SampleScores("q1", "?", (), (0.0,), (0.0,)),))
    row = sample_row_factory(scores={"faithfulness": (0.0, 1e-12)})

    assert titles(report_factory(samples=(row,), details=details))


def test_hostile_names_are_text_of_a_chart_and_nothing_else() -> None:
    report = hostile_report()
    row = metric_row_factory(HOSTILE, 1.0, 0.5, interval=(-0.6, -0.4))
    drawn = charts_of(report.amended(decision=report.decision.amended(metrics=(row,))))

    assert drawn
    assert all("<script" not in chart.svg and "<img" not in chart.svg for chart in drawn)


@pytest.mark.parametrize(
    "name", ["datum.x", "a[0]", "{'signal': '1+1'}", "https://example.org/x.json", "a\\.b", "null"]
)
def test_a_metric_named_as_an_expression_is_a_name(name: str) -> None:
    row = metric_row_factory(name, 1.0, 0.5, interval=(-0.6, -0.4))

    (chart,) = charts_of(report_factory(decision_factory(metrics=[row])))

    assert name[:12] in html.unescape(chart.svg)  # a long one is cut


def test_a_score_of_zero_or_one_is_drawn_as_bars_and_a_graded_one_as_points() -> None:
    graded = report_factory(samples=(sample_row_factory(scores={"faithfulness": (0.9, 0.4)}),))
    fell, rose = (
        sample_row_factory("a"),
        sample_row_factory("b", scores={"faithfulness": (0.0, 1.0)}),
    )
    binary = report_factory(samples=(fell, rose, fell.amended(sample_id="c")))

    assert "faithfulness, question by question" in titles(graded)
    chart = next(each for each in charts_of(binary) if each.title == "faithfulness, questions")
    assert ">worse<" in chart.svg
    assert ">2<" in chart.svg
    assert "<a " not in chart.svg


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


def table(*samples: SampleScores, direction: Direction = Direction.HIGHER):
    decision = decision_factory(metrics=[metric_row_factory("mrr", direction=direction)])
    return heat_table(report_factory(decision, details=RunDetails(("mrr",), samples)))


def test_a_cell_is_the_mean_change_of_the_questions_that_have_a_score_on_both_sides() -> None:
    heat = table(
        SampleScores("a", "", ("billing",), (1.0,), (0.5,)),
        SampleScores("b", "", ("billing",), (1.0,), (1.0,)),
        SampleScores("c", "", ("billing",), (None,), (0.0,)),
    )

    assert heat is not None
    assert heat.lines == [("billing", 3, [("−25.0", "worse-5", 2)])]


def test_a_rise_of_what_is_better_low_is_worse() -> None:
    heat = table(SampleScores("a", "", ("x",), (0.1,), (0.2,)), direction=Direction.LOWER)

    assert heat is not None
    assert heat.lines[0][2][0].tone == "worse-4"


def test_a_question_that_names_a_tag_twice_counts_once() -> None:
    heat = table(SampleScores("a", "", ("x", "x"), (1.0,), (1.0,)))

    assert heat is not None
    assert heat.lines[0][1] == 1


def test_the_largest_tags_have_a_line_and_the_others_are_counted() -> None:
    heat = table(*(SampleScores(str(n), "", (f"t{n}",), (1.0,), (1.0,)) for n in range(25)))

    assert heat is not None
    assert (len(heat.lines), heat.more) == (MOST_TAGS, 25 - MOST_TAGS)


def test_without_scores_or_tags_there_is_no_table() -> None:
    assert heat_table(report_factory()) is None
    assert table(SampleScores("a", "", (), (1.0,), (1.0,))) is None


def test_the_tag_that_lost_most_stands_first() -> None:
    heat = table(
        SampleScores("a", "", ("calm",), (1.0,), (1.0,)),
        SampleScores("b", "", ("better",), (0.0,), (1.0,)),
        SampleScores("c", "", ("worse",), (1.0,), (0.9,)),
    )

    assert heat is not None
    assert [tag for tag, *_ in heat.lines] == ["worse", "calm", "better"]
