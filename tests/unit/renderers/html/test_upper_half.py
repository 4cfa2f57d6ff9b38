"""The upper half of the page."""

from __future__ import annotations

import re

import pytest

from ragate.models import ChangedPart, ChangeOrigin, MetricVerdict, Report, Verdict
from ragate.renderers.html import render
from tests.factories import decision_factory, metric_row_factory, report_factory

ADDRESS = "https://github.com/acme/bot/blob/0123456/ragate.toml#L79"


def cells_of(report: Report) -> list[str]:
    """Return the figures of the first metric's row."""
    (row,) = re.findall(r"<tr class.*?</tr>", render(report))
    return re.findall(r'<td class="number[^>]*>([^<]*)</td>', row)


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
    assert f'<span class="sign">{word}</span>' in render(report_factory(decision_factory(verdict)))


def test_what_blocks_has_the_tone_of_it() -> None:
    row = metric_row_factory(verdict=MetricVerdict.REGRESSED, blocks=True)

    assert '<tr class="bad">' in render(report_factory(decision_factory(metrics=[row])))


def test_a_metric_without_any_number_is_shown_without_one() -> None:
    row = metric_row_factory(baseline=None, candidate=None, verdict=MetricVerdict.NOT_MEASURED)

    shown = cells_of(report_factory(decision_factory(metrics=[row])))

    assert shown[:3] == ["–", "–", "–"]


@pytest.mark.parametrize("alone", [True, False])
def test_what_did_it_stands_under_the_verdict_with_its_place(alone: bool) -> None:
    part = ChangedPart(words="top_k = 1 (was 10)", path="ragate.toml", line=79, url=ADDRESS)
    origin = ChangeOrigin(parts=(part,), alone=alone)

    text = render(report_factory().amended(origin=origin))

    assert f'<p class="origin"><b>{"Because" if alone else "Changed here:"}</b>' in text
    assert f'<a href="{ADDRESS}" rel="noreferrer noopener">ragate.toml:79</a>' in text
    assert "<code>top_k = 1 (was 10)</code>" in text


@pytest.mark.parametrize("url", ["javascript:alert(1)", "http://example.org/x", "//example.org"])
def test_an_address_that_is_not_plain_https_is_no_link(url: str) -> None:
    origin = ChangeOrigin(parts=(ChangedPart(words="x", path="a.md", url=url),))

    text = render(report_factory().amended(origin=origin))

    assert "<code>a.md</code>" in text
    assert url not in text


def test_a_long_list_says_how_much_more_there_is() -> None:
    decision = decision_factory(warnings=tuple(f"warning {n}" for n in range(57)))

    text = render(report_factory(decision))

    assert "<td>warning 49</td>" in text
    assert "<td>warning 50</td>" not in text
    assert "<td>… and 7 more</td>" in text


def test_no_drop_is_visible_from_more_than_was_proven() -> None:
    row = metric_row_factory("mrr", verdict=MetricVerdict.REGRESSED, change=-0.094, mde=0.148)

    assert cells_of(report_factory(decision_factory(metrics=[row])))[5] == "–"
