"""What a reader sees before anything is opened: one line, then at most a screen."""

from __future__ import annotations

import html
import math
import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ragate.models import MetricVerdict, MustPassRow, Report, SliceRow, Verdict
from ragate.renderers import markdown
from tests.factories import decision_factory, metric_row_factory, report_factory
from tests.unit.renderers.cases import CASES

WIDTH = 120  # characters of a line in GitHub's column
CELLS = (22, 34, 60)  # of the three columns of a question
USUAL = ("regression", "unchanged", "improvement")


def seen(text: str) -> str:
    """Return the comment as it stands there folded."""
    return re.sub(r"(?s)</summary>.*</details>", "</summary></details>", text)


def words_of(fragment: str) -> str:
    return html.unescape(re.sub(r"<[^>]+>", "", fragment)).strip()


def lines_of(text: str) -> int:
    """Return how many lines the folded comment takes, cells that wrap included."""
    lines = 0
    for line in seen(text).splitlines()[1:]:
        cells = [words_of(cell) for cell in re.findall(r"<t[dh][^>]*>(.*?)</t[dh]>", line)]
        if len(cells) == len(CELLS):
            lines += max(
                math.ceil(len(cell) / room) for cell, room in zip(cells, CELLS, strict=True)
            )
        else:
            lines += math.ceil(len(words_of(line)) / WIDTH)
    return lines


def heading_of(report: Report) -> str:
    found = re.search(r"<h3>(.*)</h3>", markdown.render(report))
    assert found is not None
    return words_of(found[1])


@pytest.mark.parametrize("case", USUAL)
def test_a_usual_comment_takes_at_most_22_lines_and_3000_bytes(case: str) -> None:
    text = markdown.render(CASES[case]())

    assert lines_of(text) <= 22
    assert len(seen(text).encode()) <= 3_000


NAMES = st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=200)


@settings(suppress_health_check=list(HealthCheck))
@given(
    gate=NAMES,
    metric=NAMES,
    verdict=st.sampled_from(MetricVerdict),
    outcome=st.sampled_from(Verdict),
    accepted=st.booleans(),
    partial=st.booleans(),
)
def test_no_name_makes_the_heading_longer(
    gate: str,
    metric: str,
    verdict: MetricVerdict,
    outcome: Verdict,
    accepted: bool,
    partial: bool,
) -> None:
    rows = [
        metric_row_factory(
            f"{number}{metric}", 0.9, 0.8, verdict, worse=123_456, better=98_765, mde=0.1,
            blocks=outcome is Verdict.FAILED, accepted=accepted,
        )
        for number in range(4)
    ]  # fmt: skip
    part = SliceRow(**rows[0].model_dump() | {"slice": "a" * 30, "samples": 40})
    failing = MustPassRow(
        sample_id=metric, metric=metric, pass_at=1, tries=3, failed=3, met=False, eligible=True
    )
    decision = decision_factory(outcome, rows, slices=(part,), must_pass=(failing,))

    assert len(heading_of(report_factory(decision, gate=gate, partial=partial))) <= 110


@pytest.mark.parametrize("case", CASES)
def test_no_table_above_the_fold_has_more_than_four_columns(case: str) -> None:
    for row in re.findall(r"<tr>.*</tr>", seen(markdown.render(CASES[case]()))):
        assert len(re.findall(r"<t[dh]", row)) <= 4
