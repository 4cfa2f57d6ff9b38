"""Golden set and system that write the ids of documents in two ways."""

from __future__ import annotations

import time

import pytest

from ragate.core.doc_ids import (
    IdMismatch,
    MismatchKind,
    Spelling,
    differences,
    find_mismatch,
    folded,
    tails,
)

SPELT, UNLIKE = MismatchKind.SPELT_OTHERWISE, MismatchKind.UNLIKE
FOLDER, EXTENSION, CASE = Spelling.FOLDER, Spelling.EXTENSION, Spelling.CASE
UNICODE, CHUNK, URL = Spelling.UNICODE, Spelling.CHUNK, Spelling.URL
SPELLINGS = [
    ("billing/refunds.md", "refunds.md", (FOLDER,)),
    ("refunds.md", "kb/billing/refunds.md", (FOLDER,)),
    ("refunds.md", "/srv/kb/refunds.md", (FOLDER,)),
    ("refunds.md", "refunds", (EXTENSION,)),
    ("refunds.md", "refunds.html", (EXTENSION,)),
    ("Refunds.md", "refunds.md", (CASE,)),
    ("m\u00fcll.md", "mu\u0308ll.md", (UNICODE,)),
    ("refunds.md", "refunds.md#3", (CHUNK,)),
    ("refunds.md", "refunds.md::chunk-12", (CHUNK,)),
    ("refunds.md", "refunds.md_part_0_chunk_2", (CHUNK,)),
    ("refunds", "refunds-0012", (CHUNK,)),
    ("refunds.md", "refunds.md:10-42", (CHUNK,)),
    ("docs/refunds", "https://x.example/docs/refunds/", (URL,)),
    ("https://x.example/refunds", "http://www.x.example/refunds?lang=en", (URL,)),
    ("my page.md", "my%20page.md", (URL,)),
    ("kb/refunds.md", "kb\\refunds.md", (URL,)),
    ("./refunds.md", "refunds.md", (URL,)),
    ("billing/refunds.md", "https://x.example/help/billing/refunds", (URL, EXTENSION, FOLDER)),
    ("billing/Refunds.md", "refunds.md#2", (CHUNK, CASE, FOLDER)),
]


def mismatch(*samples: tuple[set[str], set[str]]) -> IdMismatch:
    mismatch = find_mismatch(samples)
    assert mismatch is not None
    return mismatch


def test_ids_that_fit_are_no_mismatch_however_poor_the_ranking():
    assert find_mismatch([({"a.md"}, {"b.md"}), ({"b.md"}, {"b.md"})]) is None
    assert find_mismatch([({"a.md"}, {"a.md"})]) is None
    assert find_mismatch([(set(), {"a.md"})]) is None
    assert find_mismatch([]) is None


def test_a_whole_set_without_a_hit_is_explained_by_its_spelling():
    seen = mismatch(
        ({"billing/refunds.md"}, {"shipping.md"}), ({"shop/shipping.md"}, {"refunds.md"})
    )

    assert (seen.kind, seen.differs, seen.never) == (SPELT, (Spelling.FOLDER,), True)
    assert (seen.expected, seen.retrieved) == ("billing/refunds.md", "refunds.md")
    assert (seen.missed, seen.of) == (2, 2)
    assert seen.respelt == {"billing/refunds.md": "refunds.md", "shop/shipping.md": "shipping.md"}


def test_an_id_that_came_back_in_two_spellings_is_not_respelt():
    seen = mismatch(({"a.md"}, {"a.md#1", "a.md#2"}), ({"b.md"}, {"b.md#1"}))

    assert seen.differs == (Spelling.CHUNK,)
    assert seen.respelt == {"b.md": "b.md#1"}


def test_nothing_retrieved_at_all_is_a_kind_of_its_own():
    seen = mismatch(({"a.md"}, set()), ({"b.md"}, set()))

    assert seen == IdMismatch(MismatchKind.NOTHING_RETRIEVED, "a.md", missed=2, of=2)


def test_passages_without_ids_are_a_kind_of_their_own():
    seen = mismatch(({"a.md"}, {"text:0123456789abcdef"}))

    assert (seen.kind, seen.retrieved) == (MismatchKind.WITHOUT_IDS, "")


def test_ids_of_another_kind_are_shown_beside_each_other():
    seen = mismatch(({"a.md"}, {"text:0123456789abcdef", "node-7f"}))

    assert (seen.kind, seen.expected, seen.retrieved) == (UNLIKE, "a.md", "node-7f")


def test_half_of_a_golden_set_that_is_written_otherwise_is_seen():
    seen = mismatch(({"a.md"}, {"a.md"}), ({"kb/b.md"}, {"b.md"}), ({"kb/c.md"}, {"a.md"}))

    assert (seen.kind, seen.never, seen.missed, seen.of) == (SPELT, False, 1, 3)


@pytest.mark.parametrize(
    ("expected", "retrieved"),
    [
        ("b.md", "old/b.md"),  # ids that fit have no folder either: another page
        ("b.md", "b.html"),
        ("b.md", "b.md#2"),
    ],
)
def test_a_miss_beside_a_page_of_a_like_name_is_no_mismatch(expected: str, retrieved: str):
    assert find_mismatch([({"a.md"}, {"a.md"}), ({expected}, {retrieved})]) is None


def test_another_samples_page_of_a_like_name_is_no_mismatch():
    assert find_mismatch([({"a.md"}, {"a.md"}), ({"kb/b.md"}, {"a.md"}), ({"a.md"}, {"b.md"})]) is (
        None
    )


def test_capitals_are_a_mismatch_beside_ids_that_fit():
    seen = mismatch(({"a.md"}, {"a.md"}), ({"README.md"}, {"readme.md"}))

    assert seen.differs == (Spelling.CASE,)


def test_thousands_of_pages_of_one_name_are_not_compared_in_pairs():
    samples = [({f"{n}/README.md"}, {f"x{n}/README.md"}) for n in range(3000)]
    started = time.process_time()

    seen = mismatch(*samples)

    assert seen.kind is UNLIKE
    assert time.process_time() - started < 5


def test_of_many_pages_that_may_be_meant_none_is_taken():
    seen = mismatch(({"README.md"}, {f"{n}/README.md" for n in range(50)}))

    assert (seen.differs, seen.respelt) == ((Spelling.FOLDER,), {})


@pytest.mark.parametrize(("expected", "retrieved", "kinds"), SPELLINGS)
def test_the_fewest_differences_explain_two_spellings(
    expected: str, retrieved: str, kinds: tuple[Spelling, ...]
):
    assert differences(expected, retrieved) == kinds
    short, long = sorted((folded(expected), folded(retrieved)), key=len)
    assert short in tails(long)


@pytest.mark.parametrize(
    ("expected", "retrieved"),
    [
        ("a/README.md", "b/README.md"),
        ("refunds.md", "shipping.md"),
        ("manual-1", "manual-2"),
        ("v1.2", "v1.3"),
        ("refunds.md", "late-refunds.md"),
        ("", "refunds.md"),
    ],
)
def test_two_documents_are_not_taken_for_two_spellings(expected: str, retrieved: str):
    assert differences(expected, retrieved) is None


def test_one_spelling_differs_in_nothing():
    assert differences("a.md", "a.md") == ()
