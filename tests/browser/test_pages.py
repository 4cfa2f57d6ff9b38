"""Every kind of report opens, says its verdict, and does nothing else."""

from __future__ import annotations

import pytest

from tests.browser.reports import METRICS, red
from tests.factories import report_factory, sample_row_factory
from tests.unit.renderers.cases import CASES
from tests.unit.renderers.html.test_page import HOSTILE, hostile_report

pytestmark = pytest.mark.browser
MOST_NODES = 20_000
WORDS = {
    "regression": "Failed",
    "unchanged": "Passed",
    "cannot_tell": "Passed, look",
    "not_comparable": "No decision",
    "bootstrap": "First run",
    "improvement": "Passed",
}


@pytest.mark.parametrize(("case", "word"), WORDS.items())
def test_a_report_opens_without_a_fault_and_says_its_verdict(opened, case, word):
    shown = opened(CASES[case]())

    assert shown.page.locator(".sign").inner_text() == word
    assert shown.faults() == []


def test_hostile_text_never_executes(opened):
    shown = opened(hostile_report())
    shown.page.locator("#list [role=option]").first.click()
    shown.page.wait_for_timeout(100)

    assert shown.faults() == []
    assert (
        shown.page.evaluate("document.querySelectorAll('img, iframe, object, embed').length") == 0
    )
    assert "alert(1)" in shown.page.locator("#detail").inner_text()


def test_the_policy_stops_a_script_that_is_not_ours(opened):
    shown = opened(report_factory())
    added = "Object.assign(document.createElement('script'), {text: 'window.in=1'})"
    shown.page.evaluate(f"document.body.append({added})")

    assert any(fault.startswith("script-src") for fault in shown.faults())
    assert shown.page.evaluate("window.in") is None


@pytest.mark.parametrize("width", [360, 1440])
def test_words_of_a_megabyte_do_not_break_the_layout(opened, width):
    word = "x" * 1_000_000
    row = sample_row_factory(word, word, answers=(word, word + "y"), tags=(word,), evidence=word)
    shown = opened(report_factory(samples=(row,), gate=word), width=width)

    assert shown.page.evaluate("document.documentElement.scrollWidth") <= width


def test_ten_thousand_questions_are_rows_only_where_they_are_looked_at(opened):
    shown = opened(red(10_000))
    before = shown.count()
    shown.page.evaluate("document.getElementById('list').scrollTop = 1e9")
    shown.page.get_by_text("q09999").first.wait_for()

    assert shown.page.locator("#count").inner_text() == "10,000 questions"
    assert before < MOST_NODES
    assert shown.count() < MOST_NODES
    assert shown.page.locator("#list [role=option]").count() < 60
    assert shown.faults() == []


def test_without_javascript_a_question_can_be_read_whole(opened):
    shown = opened(red(), script=False)
    assert shown.page.locator(".sign").inner_text() == "Failed"
    assert shown.problems == []
    shown.page.locator("details.sample summary").first.click()

    body = shown.page.locator("details.sample[open] .body")
    assert "Prices are net; VAT is added at checkout." in body.inner_text()
    assert not shown.page.locator("#explorer").is_visible()


def test_an_id_in_the_address_opens_its_question(opened):
    shown = opened(red(), fragment="#q=q00008")

    assert (
        shown.page.locator("#detail h3").inner_text().startswith(("worse q00008", "better q00008"))
    )


def test_a_hostile_id_in_the_address_is_an_id_and_nothing_else(opened):
    shown = opened(hostile_report(), fragment="#q=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E%E0%A4%A")

    assert shown.faults() == []
    assert shown.page.locator("#detail h3").count() == 1


def test_a_point_of_a_chart_leads_to_its_question(opened):
    shown = opened(red())
    point = shown.page.locator("figure svg a").first
    name = point.locator("title").text_content() or ""
    point.dispatch_event("click")
    shown.page.wait_for_timeout(100)

    assert name.partition(":")[0] in shown.page.locator("#detail h3").inner_text()


def test_search_and_filters_narrow_the_list_together(opened):
    shown = opened(red())
    form = shown.page.locator("form.filters")
    form.locator("[name=change]").select_option("worse")
    worse = shown.page.locator("#count").inner_text()
    form.locator("[name=search]").fill("invoice")
    found = shown.page.locator("#count").inner_text()

    assert worse == "33 of 200 questions"
    assert found != worse
    texts = shown.page.locator("#list [role=option]").all_inner_texts()
    assert texts
    assert all("invoice" in text for text in texts)


def test_the_filter_by_a_metric_keeps_the_questions_that_moved_on_it(opened):
    shown = opened(red())
    moved = {"faithfulness": "50 of 200", "correctness": "50 of 200", "hit_rate@10": "0 of 200"}

    assert moved.keys() == set(METRICS)
    for metric, count in moved.items():
        shown.page.locator("[name=metric]").select_option(metric)
        assert shown.page.locator("#count").inner_text() == f"{count} questions"


def test_the_list_is_walked_with_the_keyboard(opened):
    shown = opened(red())
    shown.page.locator("#list").focus()
    for key in ("End", "Home", "ArrowDown", "ArrowDown"):
        shown.page.keyboard.press(key)

    assert "q00008" in shown.page.locator("#detail h3").inner_text()
    assert "q00008" in shown.page.locator("#list [aria-selected=true]").inner_text()
    shown.page.keyboard.press("Enter")
    assert shown.page.evaluate("document.activeElement.id") == "detail"


def test_the_page_follows_the_colours_of_the_system(opened):
    colours = [
        opened(report_factory(), scheme=scheme).page.evaluate(
            "getComputedStyle(document.body).backgroundColor"
        )
        for scheme in ("light", "dark")
    ]

    assert colours[0] != colours[1]


def test_hostile_text_is_shown_as_it_was_written(opened):
    shown = opened(hostile_report())

    assert HOSTILE[:40] in shown.page.locator("#detail .question").inner_text()


def test_the_first_screen_says_what_happened_what_to_type_and_three_questions(opened):
    shown = opened(CASES["regression"]())
    for words in ("Changed here", "14 answers changed", "ragate check --ids", "q017", "q102"):
        box = shown.page.locator("header").get_by_text(words).first.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= 900
    assert shown.page.locator("ol.first li").count() == 3
    shown.page.locator("ol.first a", has_text="q031").click()
    shown.page.locator(
        "#detail h3", has_text="q031"
    ).wait_for()  # the address is read a moment later


def test_answers_are_searched_and_the_list_stands_in_the_address(opened):
    shown = opened(CASES["regression"]())
    form = shown.page.locator("form.filters")
    form.locator("[name=search]").fill("6,000 a minute")
    form.locator("[name=change]").select_option("worse")
    address = shown.page.evaluate("location.hash")
    again = opened(CASES["regression"](), fragment=address)

    for each in (shown, again):
        assert each.page.locator("#count").inner_text() == "1 of 22 questions"
    assert again.faults() == []


def test_the_list_is_sorted_by_the_change_of_the_metric_that_is_chosen(opened):
    shown = opened(red())
    form = shown.page.locator("form.filters")
    form.locator("[name=order]").select_option("rise")
    first = shown.page.locator("#list [role=option]").first.inner_text()
    form.locator("[name=order]").select_option("fall")

    assert first.startswith("better")
    assert shown.page.locator("#list [role=option]").first.inner_text().startswith("worse")


def test_a_question_is_copied_as_markdown(opened):
    shown = opened(CASES["regression"](), fragment="#q=q102")
    shown.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    shown.page.get_by_role("button", name="Copy as Markdown").click()
    shown.page.get_by_text("copied").wait_for()
    copied = shown.page.evaluate("navigator.clipboard.readText()")

    assert copied.startswith("**q102** Rate limit per key?")
    assert "- Before: 600 a minute [1]" in copied
