"""Expected documents that lost their rank, and what took their place."""

from __future__ import annotations

from ragate.models import CauseKind
from tests.unit.core.diagnosis.cause_factory import cause
from tests.unit.core.diagnosis.diagnosis_factory import record

WRONG = "The limit is 250 requests, says Marlow."


def test_a_lost_document_is_retrieval_with_ranks_and_what_took_its_place():
    found = cause(
        [record(mrr=1.0, idf_f1=1.0, light=True)],
        [record(("old.md", "other.md"), WRONG, mrr=0.0, idf_f1=0.1)],
    )

    assert found.kind is CauseKind.RETRIEVAL
    assert found.lost == ("limits.md",)
    assert found.displaced_by == ("old.md",)
    assert found.evidence == "expected limits.md rank 1 -> not retrieved; in its place old.md"


def test_a_shorter_list_is_said_where_nothing_took_the_place():
    found = cause([record(("other.md", "limits.md"), mrr=0.5)], [record(("other.md",), mrr=0.0)])

    assert found.displaced_by == ()
    assert "1 chunk came back, 2 before" in found.evidence


def test_a_fall_in_rank_with_the_same_answer_is_retrieval():
    found = cause(
        [record(("limits.md", "other.md"), mrr=1.0)], [record(("other.md", "limits.md"), mrr=0.5)]
    )

    assert found.kind is CauseKind.RETRIEVAL
    assert "rank 1 -> 2" in found.evidence


def test_a_baseline_of_hashes_alone_still_shows_a_loss():
    found = cause(
        [record(answer=None, idf_f1=1.0, light=True)],
        [record(("old.md",), WRONG, idf_f1=0.0)],
    )

    assert found.kind is CauseKind.RETRIEVAL


def test_a_document_found_at_last_is_retrieval():
    found = cause([record(("other.md",), WRONG, idf_f1=0.0)], [record(idf_f1=1.0)])

    assert found.kind is CauseKind.RETRIEVAL
    assert "limits.md not retrieved -> rank 1" in found.evidence
