"""What happened to the questions that got worse, in counts."""

from __future__ import annotations

from ragate.core.diagnosis.story import story_of
from ragate.models import CauseKind, SampleRow, SampleSide, TagLoss
from tests.factories import sample_factory, sample_row_factory, told


def lost(sample_id: str, *tags: str) -> SampleRow:
    docs = (["billing/vat.md"], ["terms.md"])
    return sample_row_factory(sample_id, docs=docs, cause=CauseKind.RETRIEVAL, tags=tags)


def test_each_cause_is_counted_and_the_most_frequent_stands_first() -> None:
    judged = [sample_row_factory(f"j{n}", cause=CauseKind.JUDGE) for n in range(2)]
    rows = [sample_row_factory("a"), *judged, lost("c"), sample_row_factory("d", change="better")]

    story = told(rows)

    assert story.worse == 4
    assert list(story.causes.items()) == [(CauseKind.JUDGE, 2), (CauseKind.GENERATION, 1)]
    assert story.lost == 1


def test_a_lost_document_is_told_although_the_cause_is_not_proven() -> None:
    unknown = sample_row_factory(
        docs=(["billing/vat.md"], ["terms.md"]), cause=CauseKind.UNKNOWN, evidence="both changed"
    )

    story = told([unknown])

    assert (story.lost, story.causes) == (1, {})


def test_a_refusal_counts_on_the_side_that_it_is_new_on() -> None:
    silent = SampleSide(answer="I do not know.", refused=True)
    gave_up = [sample_row_factory(f"a{n}", candidate=silent) for n in range(2)]
    dared = sample_row_factory("b", baseline=silent)
    always = sample_row_factory("c", baseline=silent, candidate=silent)

    story = told([*gave_up, dared, always])

    assert (story.refused, story.answered) == (2, 1)


def test_a_tag_is_named_only_where_it_stands_out_from_the_rest() -> None:
    golden = [sample_factory(f"s{n}", tags=("setup",) if n < 15 else ("api",)) for n in range(60)]
    hit = [lost(f"s{n}", "setup") for n in range(12)]
    evenly = [lost(f"s{n}", "setup" if n < 15 else "api") for n in range(0, 60, 3)]
    few = [sample_factory(f"s{n}", tags=("runs",) if n < 3 else ()) for n in range(60)]

    assert story_of(hit, golden[:12], golden).hardest == TagLoss(tag="setup", worse=12, of=15)
    assert story_of(evenly, golden[::3], golden).hardest is None
    assert story_of([lost(f"s{n}", *few[n].tags) for n in range(40)], few[:40], few).hardest is None


def test_what_has_no_row_counts_for_the_total_and_for_the_tag_and_causes_say_of_how_many() -> None:
    golden = [sample_factory(f"s{n}", tags=("setup",) if n < 15 else ()) for n in range(60)]

    story = story_of([lost("s0", "setup")], golden[:12], golden)

    assert (story.worse, story.told, story.lost) == (12, 1, 1)
    assert story.hardest == TagLoss(tag="setup", worse=12, of=15)
