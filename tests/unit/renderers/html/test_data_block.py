"""The samples as data for the page's script."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ragate.models import RunDetails, SampleRow, SampleScores
from ragate.renderers import html as page
from ragate.renderers.html import DataBlock
from tests.factories import report_factory, sample_row_factory


def test_no_text_ends_the_block_or_starts_a_tag() -> None:
    row = sample_row_factory("</script><!--", "a & b\u2028c")

    text = DataBlock(report_factory(samples=(row,))).text(1)

    assert not set("<>&\u2028") & set(text)
    assert json.loads(text)["rows"][0][1] == "</script><!--"


def test_samples_that_did_not_change_follow_those_that_did() -> None:
    details = RunDetails(
        ("mrr",),
        (
            SampleScores("q1", "One?", (), (1.0,), (1.0,)),
            SampleScores("q017", "Two?", (), (1.0,), (None,)),
        ),
    )

    rows = json.loads(
        DataBlock(report_factory(samples=(sample_row_factory(),), details=details)).text(1)
    )

    assert [row[1] for row in rows["rows"]] == ["q017", "q1"]
    assert [row[-1] for row in rows["rows"]] == [[[1.0, None]], [1.0]]


HASHES = ("a" * 16, "b" * 16, "c" * 16)


def judged(sample_id: str = "q017", answers: tuple[str, str] = ("One.", "Two."), gate: str = "g"):
    row = sample_row_factory(sample_id, answers=answers)
    details = RunDetails(("mrr",), (SampleScores(sample_id, "?", (), (1.0,), (0.0,), HASHES),))
    report = report_factory(samples=(row,), details=details, gate=gate)
    return [row[8:] for row in json.loads(DataBlock(report).text(1))["rows"]]


def test_a_changed_answer_has_what_a_label_of_it_names() -> None:
    assert judged() == [[list(HASHES)]]


@pytest.mark.parametrize(
    "fields",
    [
        {"answers": ("One.", "One.")},
        {"sample_id": "q\u202e17"},
        {"gate": "g\u202eg"},
        {"sample_id": "q" * 121},
    ],
)
def test_equal_answers_and_names_that_are_shown_otherwise_cannot_be_judged(fields) -> None:
    assert judged(**fields) == [[]]


def test_a_sample_beyond_the_pages_room_says_so() -> None:
    rows = (sample_row_factory("a"), sample_row_factory("b"))

    data = json.loads(DataBlock(report_factory(samples=rows)).text(1))

    assert [row[0] for row in data["rows"]] == [0, -1]


def test_a_page_writes_each_sample_into_its_data_once(monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[str] = []
    as_it_was = page._changed

    def counted(row: SampleRow, pairs: list[Any]) -> list[Any]:
        written.append(row.sample_id)
        return as_it_was(row, pairs)

    monkeypatch.setattr(page, "_changed", counted)
    rows = (sample_row_factory("a"), sample_row_factory("b"))

    page.render(report_factory(samples=rows))

    assert written == ["a", "b"]


def test_the_size_is_that_of_the_block_where_nothing_is_held_in_full() -> None:
    block = DataBlock(report_factory(samples=(sample_row_factory("ä"),)))

    assert block.size == len(block.text(0).encode()) > len(block.text(0))
