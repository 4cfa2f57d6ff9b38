"""The charts of a report."""

from __future__ import annotations

import sys
import time

import pytest

from ragate.models import RunDetails, SampleScores
from ragate.renderers.html import charts, page
from ragate.renderers.html.charts import charts_of, draw
from tests.factories import decision_factory, metric_row_factory, report_factory, sample_row_factory
from tests.unit.renderers.cases import CASES
from tests.unit.renderers.html.test_page import HOSTILE, hostile_report

pytest.importorskip("vl_convert")


def titles(report) -> list[str]:
    return [chart.title for chart in charts_of(report)]


def test_a_red_report_has_a_chart_for_each_question_that_a_reader_asks() -> None:
    assert titles(CASES["regression"]()) == [
        "Change of each metric, points",
        "faithfulness, question by question",
        "hit_rate@10, question by question",
        "How much the scores changed",
        "Ranks of expected documents",
    ]


def test_what_answers_took_is_drawn_where_a_metric_measures_it() -> None:
    assert "Cost and time" in titles(CASES["improvement"]())


def test_without_a_baseline_there_is_nothing_to_draw() -> None:
    assert titles(CASES["bootstrap"]()) == []


def test_without_the_package_that_draws_the_page_shows_its_tables(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    text = page.render(CASES["regression"]())

    assert "<svg" not in text
    assert "Metrics" in text


def test_a_chart_that_is_no_xml_is_left_out_and_the_page_stands(monkeypatch) -> None:
    monkeypatch.setattr(charts, "draw", lambda _name, _data: "<svg>\x01</svg>")

    assert titles(CASES["regression"]()) == []
    assert "Metrics" in page.render(CASES["regression"]())


def test_one_sample_none_and_none_with_a_number_are_drawn_or_left_out() -> None:
    lone = report_factory(samples=(sample_row_factory(),))
    empty = metric_row_factory(baseline=None, candidate=None)
    unscored = sample_row_factory(scores={"faithfulness": (1.0, None)})

    assert "faithfulness, question by question" in titles(lone)
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


def test_no_address_of_a_specification_is_fetched() -> None:
    with pytest.raises(ValueError, match="not allowed"):
        draw_with_address()


def draw_with_address() -> str:
    import vl_convert

    svg: str = vl_convert.vegalite_to_svg(
        {
            "data": {"url": "http://127.0.0.1:9/x.json"},
            "mark": "point",
            "encoding": {"x": {"field": "a", "type": "quantitative"}},
        },
        allowed_base_urls=[],
    )
    return svg


def test_ten_thousand_points_are_drawn_in_seconds() -> None:
    rows = [
        {"before": n / 10_000, "now": n % 7, "link": "#s1", "name": "q", "tone": "worse"}
        for n in range(10_000)
    ]
    started = time.monotonic()

    draw("scatter", {"rows": rows, "unmoved": [], "diagonal": []})

    assert time.monotonic() - started < 20
