"""The mean change by tag and metric."""

from __future__ import annotations

from ragate.models import Direction, RunDetails, SampleScores
from ragate.renderers.html.charts import MOST_TAGS, heat_table
from tests.factories import decision_factory, metric_row_factory, report_factory


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
