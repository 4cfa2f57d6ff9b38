"""The charts of a report."""

from __future__ import annotations

import pytest

from ragate.models import RunDetails, SampleScores
from ragate.renderers.html.charts import charts_of
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


def test_without_a_baseline_there_is_nothing_to_draw() -> None:
    assert titles(CASES["bootstrap"]()) == []


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

    assert name[:12] in chart.svg  # a long one is cut


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
