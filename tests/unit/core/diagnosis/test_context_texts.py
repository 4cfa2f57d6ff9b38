"""Contexts are compared by their texts, not by document ids alone."""

from __future__ import annotations

from ragate.core.diagnosis.context_texts import (
    basis_kept,
    edited_documents,
    renamed_documents,
    texts_known,
    texts_of,
)
from ragate.core.diagnosis.diagnose import diagnose
from ragate.core.diagnosis.sample_diff import SampleDiff
from ragate.models import CauseKind, Record
from tests.unit.core.diagnosis.diagnosis_factory import METRICS, SAMPLE, record, with_texts

WRONG = "The limit is 6,000 requests."


def case(before: Record, after: Record) -> SampleDiff:
    return SampleDiff(sample=SAMPLE, before=[before], after=[after], metrics=METRICS)


def bare(made: Record) -> Record:
    """Return the record as a baseline of an older format holds it."""
    chunks = tuple(chunk.amended(text="") for chunk in made.output.chunks)
    output = made.output.amended(chunks=chunks)
    return made.amended(output=output, text_hashes="")


def test_texts_are_known_from_the_hashes_or_from_the_chunks():
    whole, light = record(), record(light=True)

    assert texts_of(whole) == texts_of(light)
    assert texts_of(whole.amended(text_hashes="")) == texts_of(whole)
    assert texts_of(bare(whole)) is None


def test_passages_are_kept_where_their_texts_are_there_at_whatever_rank():
    assert basis_kept(case(record(light=True), record(("third.md", "limits.md"))))
    assert not basis_kept(case(record(light=True), with_texts(record(), "Cut.", "Short.")))
    assert not basis_kept(case(bare(record()), record(("limits.md", "third.md"))))


def test_a_cited_passage_counts_as_one_that_the_answer_rests_on():
    cited = record(("limits.md", "other.md"))
    output = cited.output.amended(citations=(2,))

    before = cited.amended(output=output)

    assert not basis_kept(case(before, record(("limits.md", "third.md"))))
    assert basis_kept(case(before, record(("limits.md", "third.md", "other.md"))))


def test_a_document_without_a_text_in_common_was_edited():
    assert edited_documents(case(record(light=True), with_texts(record(), "New.", "New too."))) == (
        "limits.md",
        "other.md",
    )
    assert edited_documents(case(record(light=True), record(("limits.md", "third.md")))) == ()


def test_a_text_that_came_back_under_another_id_is_a_renamed_document():
    before = record(("limits.md", "other.md"))
    text = before.output.chunks[0].text
    after = with_texts(record(("new.md", "other.md"), WRONG), text, before.output.chunks[1].text)

    assert renamed_documents(case(before, after)) == {"limits.md": "new.md"}
    found = diagnose(case(before, after))
    assert found.kind is CauseKind.DATA
    assert found.evidence == "same text under another id: limits.md as new.md"


def test_no_generation_is_claimed_where_the_contexts_texts_are_not_known():
    before = bare(record(mrr=1.0, idf_f1=1.0))
    after = record(("limits.md", "third.md"), WRONG, mrr=1.0, idf_f1=0.0)

    found = diagnose(case(before, after))

    assert not texts_known(case(before, after))
    assert found.kind is CauseKind.UNKNOWN
    assert found.evidence.endswith("the contexts' texts are not known")


def test_equal_ids_without_texts_are_not_called_the_same_contexts():
    before, after = bare(record(idf_f1=1.0)), bare(record(answer=WRONG, idf_f1=0.0))

    found = diagnose(case(before, after))

    assert found.kind is CauseKind.UNKNOWN
    assert "the same documents" in found.evidence
