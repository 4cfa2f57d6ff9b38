"""A person judges changed answers in the page, and saves the labels."""

from __future__ import annotations

import pytest

from ragate.contrib.labels.labels import read_given_labels
from ragate.contrib.labels.review_label import ReviewLabel, ReviewVerdict
from tests.browser.reports import red
from tests.browser.test_layout import FAULTS, WIDTHS

pytestmark = pytest.mark.browser


def say(shown, word: str, reason: str = "") -> None:
    panel = shown.page.locator("#detail .review")
    if reason:
        panel.locator("input").fill(reason)
    panel.get_by_role("button", name=word, exact=True).click()


def saved(shown, who: str = "Ada") -> list[ReviewLabel]:
    shown.page.locator("[name=who]").fill(who)
    with shown.page.expect_download() as download:
        shown.page.get_by_role("button", name="Save labels").click()
    assert download.value.suggested_filename == "ragate-labels.jsonl"
    return read_given_labels("page", download.value.path().read_bytes())


def test_labels_are_saved_as_ragate_review_reads_them(opened):
    shown = opened(red())
    say(shown, "Worse", "VAT is gone")
    shown.page.locator("#list").focus()
    shown.page.keyboard.press("ArrowDown")
    say(shown, "Reference is stale")

    first, second = saved(shown)

    assert shown.faults() == []
    assert first == ReviewLabel(
        gate="support-bot",
        id="q00000",
        commit="bad0" * 10,
        verdict=ReviewVerdict.WORSE,
        reason="VAT is gone",
        who="Ada",
        sample=f"a{0:015x}",
        before=f"b{0:015x}",
        after=f"c{0:015x}",
    )
    assert (second.id, second.verdict, second.reason) == ("q00004", "stale_reference", "")
    assert shown.page.locator("#reviewing [role=status]").inner_text() == "2 labels, saved"
    assert shown.page.locator("#list .row").first.inner_text().count("labelled") == 1


def test_a_second_click_takes_a_word_back_and_another_word_replaces_it(opened):
    shown = opened(red())
    for word in ("Worse", "Worse", "Better", "Same"):
        say(shown, word)

    assert [label.verdict for label in saved(shown)] == ["same"]
    pressed = shown.page.locator("#detail .review [aria-pressed=true]")
    assert pressed.all_inner_texts() == ["Same"]


def test_without_a_name_nothing_is_saved_and_the_page_says_so(opened):
    shown = opened(red())
    say(shown, "Better")
    shown.page.get_by_role("button", name="Save labels").click()

    assert "Say who you are" in shown.page.locator("#reviewing [role=status]").inner_text()
    assert shown.page.evaluate("document.activeElement.name") == "who"


@pytest.mark.parametrize("byte", [0, 255])
def test_blind_tells_no_side_and_keeps_who_was_better(opened, byte):
    shown = opened(red())
    shown.page.evaluate(f"crypto.getRandomValues = (array) => array.fill({byte}); 0")
    shown.page.locator("[name=blind]").check()
    detail = shown.page.locator("#detail")
    texts = detail.locator(".sides .text").all_inner_texts()
    told = detail.inner_text() + shown.page.locator("#list .row").first.inner_text()
    say(shown, "The first is better")

    (label,) = saved(shown)

    now_first = byte == 0
    was, now = "Prices are net, VAT of 19 % is added. [1]", "All prices are final. [2]"
    assert texts == ([now, was] if now_first else [was, now])
    assert (label.verdict, label.blind) == ("better" if now_first else "worse", True)
    assert detail.locator("del, ins, .scores, .passages, .cause").count() == 0
    for word in ("worse", "Answer now", "Answer before", "→"):
        assert word not in told


def test_a_question_that_did_not_change_has_nothing_to_judge(opened):
    shown = opened(red(), fragment="#q=q00001")

    assert shown.page.locator("#detail .review").count() == 0


def test_a_page_without_answers_offers_no_review(opened):
    report = red()
    rows = tuple(
        row.amended(baseline=None, candidate=row.candidate.amended(answer=None))
        for row in report.samples
        if row.candidate is not None
    )
    shown = opened(report.amended(samples=rows))

    assert not shown.page.locator("#reviewing").is_visible()
    assert shown.page.locator("#detail .review").count() == 0


def test_without_javascript_no_button_stands_there(opened):
    shown = opened(red(), script=False)

    assert not shown.page.locator("#reviewing").is_visible()


def test_leaving_with_unsaved_labels_is_asked_about(opened):
    shown = opened(red())
    say(shown, "Better")
    shown.page.close(run_before_unload=True)
    shown.page.wait_for_timeout(300)

    assert any(problem.startswith("dialog") for problem in shown.problems)


@pytest.mark.parametrize("blind", [True, False])
def test_nothing_overlaps_where_labels_are_given(opened, blind):
    shown = opened(red())
    shown.page.locator("[name=blind]").set_checked(blind)
    say(shown, "Same", "as good")

    more = FAULTS.replace("'#detail > *'", "'#detail > *', '#reviewing > *', '.review > *'")
    for width in WIDTHS:
        shown.page.set_viewport_size({"width": width, "height": 900})
        assert shown.page.evaluate(more) == [], width
