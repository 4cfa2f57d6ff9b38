from __future__ import annotations

import pytest

from ragate.core.diagnosis.word_origin import WordOrigin, gave_up, is_part, supports, trace
from ragate.models import RetrievedChunk

CHUNKS = (
    RetrievedChunk(doc_id="new", text="Marlow set 1,250 as the quota."),
    RetrievedChunk(doc_id="kept", text="The limit is 600, says Keller."),
)


@pytest.mark.parametrize(
    ("answer", "origin"),
    [
        ("The quota is 1250.", WordOrigin.SUSPECTS),
        ("It is 700 a day.", WordOrigin.NOWHERE),
        ("It is 600 a day.", WordOrigin.ELSEWHERE),
        ("It is 600, as Marlow says.", WordOrigin.ELSEWHERE),
        ("the quota as such", WordOrigin.NOTHING_NEW),
        ("It is 12 a day.", WordOrigin.NOWHERE),
        ("The first says so [1].", WordOrigin.NOTHING_NEW),
    ],
)
def test_new_words_are_traced_to_where_they_stand(answer: str, origin: WordOrigin):
    found = trace(answer, earlier=["How much?"], chunks=CHUNKS, suspects={"new"})

    assert found.origin is origin


def test_words_that_were_there_before_prove_nothing():
    found = trace("It is 1250.", earlier=["It was 1250."], chunks=CHUNKS, suspects={"new"})

    assert found.origin is WordOrigin.NOTHING_NEW


def test_chunks_without_text_are_no_evidence():
    bare = [RetrievedChunk(doc_id="new")]

    assert (
        trace("It is 9.", earlier=[], chunks=bare, suspects={"new"}).origin is WordOrigin.ELSEWHERE
    )


def test_a_refusal_leaves_nothing_of_the_old_answer():
    assert gave_up("I do not know.", earlier=["The limit is 600 requests."])
    assert not gave_up("The limit is 700 requests.", earlier=["The limit is 600 requests."])


def test_a_part_says_nothing_of_its_own():
    assert is_part("The limit is", earlier=["The limit is 600 requests."])
    assert not is_part("The limit is unknown", earlier=["The limit is 600 requests."])
    assert not is_part("The limit is 600 requests.", earlier=["The limit is 600 requests."])


def test_a_reference_is_supported_by_one_chunk_that_holds_it():
    assert supports(CHUNKS, ["limit 600 says Keller"])
    assert not supports(CHUNKS, ["limit 600 says Marlow"])
    assert not supports(CHUNKS, ["600"])


def test_a_chunk_that_differs_in_a_date_alone_does_not_hold_the_reference():
    words = "vote about the new bridge over the river was closed after a long debate on day"

    assert supports([RetrievedChunk(doc_id="a.md", text=f"The {words} 14.")], [f"The {words} 14"])
    assert not supports(
        [RetrievedChunk(doc_id="a.md", text=f"The {words} 15.")], [f"The {words} 14"]
    )
