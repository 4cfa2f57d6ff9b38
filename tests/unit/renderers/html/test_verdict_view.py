"""The upper half of the page."""

from __future__ import annotations

import pytest

from ragate.models import ChangedPart, ChangeOrigin, MetricVerdict, Verdict
from ragate.renderers._numbers import NOTHING
from ragate.renderers.html.verdict_view import MOST_LISTED, verdict_view
from tests.factories import decision_factory, metric_row_factory, report_factory

ADDRESS = "https://github.com/acme/bot/blob/0123456/ragate.toml#L79"


@pytest.mark.parametrize(
    ("verdict", "word"),
    [
        (Verdict.FAILED, "Failed"),
        (Verdict.NO_DECISION, "No decision"),
        (Verdict.BOOTSTRAP, "First run"),
        (Verdict.PASSED, "Passed"),
    ],
)
def test_the_first_word_is_the_verdict(verdict: Verdict, word: str) -> None:
    assert verdict_view(report_factory(decision_factory(verdict)))["word"] == word


def test_what_blocks_has_the_tone_of_it() -> None:
    row = metric_row_factory(verdict=MetricVerdict.REGRESSED, blocks=True)

    (shown,) = verdict_view(report_factory(decision_factory(metrics=[row])))["metrics"]

    assert shown["tone"] == "bad"


def test_a_metric_without_any_number_is_shown_without_one() -> None:
    row = metric_row_factory(baseline=None, candidate=None, verdict=MetricVerdict.NOT_MEASURED)

    (shown,) = verdict_view(report_factory(decision_factory(metrics=[row])))["metrics"]

    assert (shown["before"], shown["now"], shown["change"]) == ("–", "–", "–")


@pytest.mark.parametrize("alone", [True, False])
def test_what_did_it_stands_under_the_verdict_with_its_place(alone: bool) -> None:
    part = ChangedPart(words="top_k = 1 (was 10)", path="ragate.toml", line=79, url=ADDRESS)
    origin = ChangeOrigin(parts=(part,), alone=alone)

    first, *_ = verdict_view(report_factory().amended(origin=origin))["notes"]

    assert first[0] == ("strong", "Because" if alone else "Changed here:", "")
    assert ("code", "ragate.toml:79", ADDRESS) in first
    assert ("code", "top_k = 1 (was 10)", "") in first


@pytest.mark.parametrize("url", ["javascript:alert(1)", "http://example.org/x", "//example.org"])
def test_an_address_that_is_not_plain_https_is_no_link(url: str) -> None:
    origin = ChangeOrigin(parts=(ChangedPart(words="x", path="a.md", url=url),))

    first, *_ = verdict_view(report_factory().amended(origin=origin))["notes"]

    assert ("code", "a.md", "") in first


def test_a_long_list_says_how_much_more_there_is() -> None:
    decision = decision_factory(warnings=tuple(f"warning {n}" for n in range(MOST_LISTED + 7)))

    lists = dict(verdict_view(report_factory(decision))["lists"])

    assert lists["Warnings"][-1] == ["… and 7 more"]


def test_no_drop_is_visible_from_more_than_was_proven() -> None:
    row = metric_row_factory("mrr", verdict=MetricVerdict.REGRESSED, change=-0.094, mde=0.148)

    (shown,) = verdict_view(report_factory(decision_factory(metrics=[row])))["metrics"]

    assert shown["visible"] == NOTHING
