"""The page as one file: what it holds, and what it keeps out."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import time
from dataclasses import replace
from html.parser import HTMLParser
from typing import Any

import pytest

from ragate.models import (
    Report,
    RetrievedChunk,
    RunDetails,
    SampleEvidence,
    SampleRow,
    SampleScores,
    SideEvidence,
    Usage,
    Verdict,
)
from ragate.models import SideEvidence as Side
from ragate.renderers import html as page
from ragate.renderers.html import MOST_PASSAGES, DataBlock, sample_texts
from tests.factories import decision_factory, metric_row_factory, report_factory, sample_row_factory

HOSTILE = (
    "</script></style><script>alert(1)</script><img src=x onerror=alert(2)>\"'&{{ 7*7 }}\u202e\x00"
)


class Page(HTMLParser):
    """What a browser would see of a page."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        self.tags.append((tag, dict(attrs)))

    def named(self, tag: str) -> list[dict[str, str | None]]:
        return [attributes for name, attributes in self.tags if name == tag]


def hostile_report() -> Report:
    """Return a report with hostile text in every field that takes any."""
    row = sample_row_factory(
        HOSTILE,
        HOSTILE,
        expected=[HOSTILE],
        docs=([HOSTILE], ["other" + HOSTILE]),
        answers=(HOSTILE, f"now {HOSTILE}"),
        scores={HOSTILE: (1.0, 0.0)},
        evidence=HOSTILE,
        tags=(HOSTILE,),
        references=(HOSTILE,),
    )
    metrics = [metric_row_factory(HOSTILE, reason=HOSTILE)]
    chunk = RetrievedChunk(doc_id=HOSTILE, text=HOSTILE)
    details = RunDetails(
        metrics=(HOSTILE,),
        samples=(SampleScores(HOSTILE, HOSTILE, (HOSTILE,), (1.0,), (0.0,)),),
        evidence={HOSTILE: SampleEvidence(Side((chunk,)), Side((chunk,)))},
        note=HOSTILE,
    )
    decision = decision_factory(
        metrics=metrics, reasons=(HOSTILE,), warnings=(HOSTILE,), remedies=(HOSTILE,)
    )
    return report_factory(decision, gate=HOSTILE, samples=(row,), details=details)


def data_of(text: str) -> dict[str, Any]:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    assert found is not None
    data: dict[str, Any] = json.loads(found.group(1))
    return data


def many(count: int, **details: Any) -> Report:
    """Return a report of `count` changed samples with long texts."""
    rows = tuple(
        sample_row_factory(
            f"q{number:05}", "Why is it so? " * 20, answers=("no " * 80, "yes " * 80)
        )
        for number in range(min(count, 1000))
    )
    scores = tuple(
        SampleScores(f"q{number:05}", "Why is it so? " * 20, ("a", "b"), (1.0,) * 10, (0.5,) * 10)
        for number in range(count)
    )
    chunks = tuple(RetrievedChunk(doc_id=f"d{n}.md", text="word " * 200) for n in range(10))
    evidence = {row.sample_id: SampleEvidence(Side(chunks), Side(chunks[:9])) for row in rows[:200]}
    return report_factory(
        samples=rows,
        details=RunDetails(tuple(f"m{n}" for n in range(10)), scores, evidence),
    )


def test_hostile_text_makes_no_tag_no_attribute_and_no_end_of_a_block() -> None:
    harmless = Page(page.render(report_factory(samples=(sample_row_factory(),))))
    hostile = Page(page.render(hostile_report()))

    assert len(hostile.named("script")) == len(harmless.named("script")) == 2
    assert not hostile.named("img")
    assert not [a for _, attributes in hostile.tags for a in attributes if a.startswith("on")]
    assert not [a for _, attributes in hostile.tags for a in attributes if a == "style"]


def test_text_that_hides_or_turns_other_text_is_shown_as_a_replacement() -> None:
    text = page.render(hostile_report())

    assert "\u202e" not in text
    assert "\x00" not in text
    assert "{{ 7*7 }}" in text


def test_the_policy_allows_this_style_and_this_script_and_nothing_else() -> None:
    text = page.render(report_factory())
    policy = Page(text).named("meta")[1]["content"] or ""
    for tag in ("style", "script"):
        inner = re.search(rf"<{tag}>(.*?)</{tag}>", text, re.DOTALL)
        assert inner is not None
        digest = hashlib.sha256(inner.group(1).encode()).digest()
        assert f"{tag}-src 'sha256-{base64.b64encode(digest).decode()}'" in policy

    assert policy.startswith("default-src 'none'; ")
    assert "connect-src 'none'" in policy
    assert "unsafe" not in policy


def test_nothing_in_the_page_leads_out_of_the_file() -> None:
    addresses = [
        attributes[key]
        for _, attributes in Page(page.render(hostile_report())).tags
        for key in ("href", "src", "action", "data", "xlink:href")
        if key in attributes
    ]

    assert addresses
    assert all((address or "").startswith("#") for address in addresses)


def test_the_data_gives_back_what_was_put_in() -> None:
    data = data_of(page.render(many(3)))

    assert data["metrics"][0] == "m0"
    assert data["rows"][1][:2] == [1, "q00001"]
    assert data["rows"][1][-1][0] == [1.0, 0.5]


def test_without_javascript_the_first_changed_questions_stand_open_to_everybody() -> None:
    text = page.render(many(300))

    assert text.count("<details id=") == page.MOST_OPEN
    assert "200 more changed questions" in text


@pytest.mark.parametrize(("samples", "most"), [(1000, 1_200_000), (10_000, 15_000_000)])
def test_a_page_keeps_its_size(samples: int, most: int) -> None:
    assert len(page.render(many(samples)).encode()) <= most


def test_a_page_of_sixty_metrics_gives_up_texts_before_its_size() -> None:
    report = many(1000)
    assert report.details is not None
    sides = tuple(n / 977 for n in range(60)), tuple(n / 613 for n in range(60))
    samples = tuple(
        replace(each, before=sides[0], after=sides[1]) for each in report.details.samples
    )
    details = replace(report.details, metrics=tuple(f"m{n}" for n in range(60)), samples=samples)

    assert len(page.render(report.amended(details=details)).encode()) <= 2_000_000


def test_a_word_of_a_megabyte_is_cut() -> None:
    word = "x" * 1_000_000
    row = sample_row_factory(
        word, word, answers=(word, word + "y"), evidence=word, docs=([word],) * 2
    )

    assert len(page.render(report_factory(samples=(row,), gate=word))) < 150_000


def test_the_same_report_gives_the_same_bytes() -> None:
    assert page.render(hostile_report()) == page.render(hostile_report())


def test_an_answer_that_the_baseline_does_not_hold_is_no_empty_one() -> None:
    kept_at_home = sample_row_factory(answers=(None, "Yes."))
    empty = sample_row_factory(answers=("", "Yes."))

    assert "none kept" in page.render(report_factory(samples=(kept_at_home,)))
    assert "none kept" not in page.render(report_factory(samples=(empty,)))


def test_reasons_are_in_points_as_the_table_is() -> None:
    reason = "idf_f1 fell by 0.041 (0.211 -> 0.170); 0.010 is allowed"
    row = metric_row_factory("idf_f1", reason=reason)
    decision = decision_factory(Verdict.NO_DECISION, metrics=[row]).amended(reasons=(reason,))

    text = page.render(report_factory(decision))

    assert "4.1 points" in text
    assert "0.041" not in text


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
    as_it_was = page._cells

    def counted(row: SampleRow, *more: Any) -> list[Any]:
        written.append(row.sample_id)
        return as_it_was(row, *more)

    monkeypatch.setattr(page, "_cells", counted)
    rows = (sample_row_factory("a"), sample_row_factory("b"))

    page.render(report_factory(samples=rows))

    assert written == ["a", "b"]


def test_the_size_is_that_of_the_block_where_nothing_is_held_in_full() -> None:
    block = DataBlock(report_factory(samples=(sample_row_factory("ä"),)))

    assert block.size == len(block.text(0).encode()) > len(block.text(0))


def chunk(doc_id: str, text: str) -> RetrievedChunk:
    return RetrievedChunk(doc_id=doc_id, text=text)


def test_a_passage_has_both_of_its_ranks_and_one_that_went_stands_last() -> None:
    row = sample_row_factory(docs=(["a", "b"], ["b", "c"]))

    passages = sample_texts(row, None)["passages"]

    assert [(p.doc_id, p.before, p.now) for p in passages] == [
        ("b", "2", "1"), ("c", "", "2"), ("a", "1", ""),
    ]  # fmt: skip


def test_a_document_whose_text_was_edited_is_two_passages() -> None:
    evidence = SampleEvidence(
        SideEvidence((chunk("a", "old text"),)), SideEvidence((chunk("a", "new text"),))
    )

    passages = sample_texts(sample_row_factory(), evidence)["passages"]

    assert [(p.before, p.now) for p in passages] == [("", "1"), ("1", "")]


def test_the_sentence_that_says_most_of_the_answers_is_marked_and_no_other() -> None:
    row = sample_row_factory(answers=("It takes 14 days.", "It takes 30 days."))
    text = "Prices may change in days. You have 14 days, not 31. Nothing else."
    chunks = (chunk("a", text), chunk("b", "Some days are long."))
    evidence = SampleEvidence(after=SideEvidence(chunks))

    pieces, others = (each.pieces for each in sample_texts(row, evidence)["passages"][:2])

    assert [text for marked, text in pieces if marked] == ["You have 14 days, not 31."]
    assert "".join(text for _, text in pieces) == text
    assert others == [(False, "Some days are long.")]


def test_what_an_answer_took_is_shown_where_one_side_knows_it() -> None:
    evidence = SampleEvidence(after=SideEvidence(usage=Usage(calls=2), latency_s=1.5))

    spent = sample_texts(sample_row_factory(), evidence)["spent"]

    assert ("model calls", "–", "2") in spent
    assert ("time", "–", "1.50 s") in spent
    assert "cost" not in [name for name, _, _ in spent]


def test_texts_that_are_slow_to_compare_stand_beside_each_other_without_a_diff() -> None:
    old, new = (" ".join(f"a {side}{n}" for n in range(900)) for side in "xy")
    started = time.process_time()

    texts = sample_texts(sample_row_factory(answers=(old, new)), None)

    assert texts["diff"] == []
    assert (texts["before"] or "").startswith("a x0")
    assert time.process_time() - started < 1


def test_of_very_many_passages_the_first_are_shown_and_the_others_counted() -> None:
    row = sample_row_factory(docs=([f"d{n}" for n in range(50)], [f"d{n}" for n in range(50)]))

    texts = sample_texts(row, None)

    assert (len(texts["passages"]), texts["more_passages"]) == (MOST_PASSAGES, 50 - MOST_PASSAGES)


def test_a_sample_without_a_baseline_has_one_answer() -> None:
    texts = sample_texts(sample_row_factory(baseline=None, change="new"), None)

    assert texts["before"] is None
    assert texts["diff"] == []
    assert texts["now"] == "Yes, all prices are final."


def test_where_one_side_kept_no_texts_a_document_is_one_passage():
    row = sample_row_factory(docs=(["a", "b"], ["b", "a"]))
    evidence = SampleEvidence(
        after=SideEvidence((chunk("b", "text of b"), chunk("a", "text of a")))
    )

    passages = sample_texts(row, evidence)["passages"]

    assert [(p.doc_id, p.before, p.now) for p in passages] == [("b", "2", "1"), ("a", "1", "2")]
    assert passages[0].pieces
