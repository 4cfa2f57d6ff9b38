"""One changed sample as the page shows it."""

from __future__ import annotations

import time

from ragate.models import RetrievedChunk, SampleEvidence, SideEvidence, Usage
from ragate.renderers.html.sample_texts import MOST_PASSAGES, sample_texts
from tests.factories import sample_row_factory


def chunk(doc_id: str, text: str = "") -> RetrievedChunk:
    return RetrievedChunk(doc_id=doc_id, text=text)


def test_a_passage_has_both_of_its_ranks_and_one_that_went_stands_last() -> None:
    row = sample_row_factory(docs=(["a", "b"], ["b", "c"]))

    passages = sample_texts(row, None).passages

    assert [(p.doc_id, p.before, p.now) for p in passages] == [
        ("b", "2", "1"), ("c", "", "2"), ("a", "1", ""),
    ]  # fmt: skip


def test_a_document_whose_text_was_edited_is_two_passages() -> None:
    evidence = SampleEvidence(
        SideEvidence((chunk("a", "old text"),)), SideEvidence((chunk("a", "new text"),))
    )

    passages = sample_texts(sample_row_factory(), evidence).passages

    assert [(p.before, p.now) for p in passages] == [("", "1"), ("1", "")]


def test_the_sentence_that_says_most_of_the_answers_is_marked_and_no_other() -> None:
    row = sample_row_factory(answers=("It takes 14 days.", "It takes 30 days."))
    text = "Prices may change in days. You have 14 days, not 31. Nothing else."
    chunks = (chunk("a", text), chunk("b", "Some days are long."))
    evidence = SampleEvidence(after=SideEvidence(chunks))

    pieces, others = (each.pieces for each in sample_texts(row, evidence).passages[:2])

    assert [text for marked, text in pieces if marked] == ["You have 14 days, not 31."]
    assert "".join(text for _, text in pieces) == text
    assert others == [(False, "Some days are long.")]


def test_what_an_answer_took_is_shown_where_one_side_knows_it() -> None:
    evidence = SampleEvidence(after=SideEvidence(usage=Usage(calls=2), latency_s=1.5))

    spent = sample_texts(sample_row_factory(), evidence).spent

    assert ("model calls", "–", "2") in spent
    assert ("time", "–", "1.50 s") in spent
    assert "cost" not in [name for name, _, _ in spent]


def test_texts_that_are_slow_to_compare_stand_beside_each_other_without_a_diff() -> None:
    old, new = (" ".join(f"a {side}{n}" for n in range(900)) for side in "xy")
    started = time.process_time()

    texts = sample_texts(sample_row_factory(answers=(old, new)), None)

    assert texts.diff == []
    assert (texts.before or "").startswith("a x0")
    assert time.process_time() - started < 1


def test_of_very_many_passages_the_first_are_shown_and_the_others_counted() -> None:
    row = sample_row_factory(docs=([f"d{n}" for n in range(50)], [f"d{n}" for n in range(50)]))

    texts = sample_texts(row, None)

    assert (len(texts.passages), texts.more_passages) == (MOST_PASSAGES, 50 - MOST_PASSAGES)


def test_a_sample_without_a_baseline_has_one_answer() -> None:
    texts = sample_texts(sample_row_factory(baseline=None, change="new"), None)

    assert texts.before is None
    assert texts.diff == []
    assert texts.now == "Yes, all prices are final."


def test_where_one_side_kept_no_texts_a_document_is_one_passage():
    row = sample_row_factory(docs=(["a", "b"], ["b", "a"]))
    evidence = SampleEvidence(
        after=SideEvidence((chunk("b", "text of b"), chunk("a", "text of a")))
    )

    passages = sample_texts(row, evidence).passages

    assert [(p.doc_id, p.before, p.now) for p in passages] == [("b", "2", "1"), ("a", "1", "2")]
    assert passages[0].pieces
