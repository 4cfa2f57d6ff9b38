from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragate.contrib.drill.breaks import BREAKS, break_output, plant
from ragate.core.hashing import output_hash
from ragate.models import Failure, Sample, SystemOutput
from tests.contrib.drill.drill_factories import ANSWER, output, pairs

OTHER = SystemOutput(answer="Invoices come monthly.", citations=(1,))


def test_dropping_the_top_document_takes_all_its_chunks_and_moves_the_citations():
    broken = break_output("drop_top_document", output())

    assert [chunk.doc_id for chunk in broken.chunks] == ["b", "c"]
    assert broken.citations == (0, 1)


def test_shuffling_keeps_the_chunks_and_their_citations():
    broken = break_output("shuffle_ranking", output(docs=[str(n) for n in range(9)]))

    assert sorted(chunk.doc_id for chunk in broken.chunks) == [str(n) for n in range(9)]
    assert broken.citations is not None
    assert [broken.chunks[one - 1].doc_id for one in broken.citations] == ["0", "2"]


def test_empty_contexts_leave_citations_that_resolve_to_nothing():
    broken = break_output("empty_contexts", output())

    assert (broken.chunks, broken.citations) == ((), (0, 0))


@pytest.mark.parametrize(
    ("name", "answer", "expected"),
    [
        ("change_numbers", "It is 600 or 9.5 [1], [2, 3].", "It is 700 or 1.5 [1], [2, 3]."),
        ("change_numbers", "v2 and A4 stay", "v2 and A4 stay"),
        ("change_names", "The plan is free.", "The plan is free."),
        ("negate", "Yes, it is.", "No, it is."),
        ("negate", "It is not allowed.", "It is allowed."),
        ("negate", "It isn't allowed.", "It is allowed."),
        ("negate", "It is allowed.", "It is not allowed."),
        ("negate", "600 a minute.", "It is not true that 600 a minute."),
        ("truncate", "one two three four five six", "one two"),
        ("truncate", "one two three", "one two three"),
    ],
)
def test_an_answer_is_broken(name: str, answer: str, expected: str):
    assert break_output(name, SystemOutput(answer=answer)).answer == expected


def test_another_name_stands_for_each_name_inside_a_sentence():
    broken = break_output("change_names", SystemOutput(answer="The head is Anna Keller now."))

    assert broken.answer
    assert "Keller" not in broken.answer
    assert broken.answer.startswith("The head is ")


def test_swapping_takes_the_first_other_answer_that_differs():
    same = SystemOutput(answer=ANSWER)

    broken = break_output("swap_answers", output(), [same, OTHER])

    assert (broken.answer, broken.citations) == (OTHER.answer, (1,))
    assert break_output("swap_answers", output(), [same]).answer == ANSWER


def test_a_broken_output_is_no_longer_known_by_its_request():
    assert break_output("negate", output()).request_hash is None
    assert break_output("change_numbers", output("no number")).request_hash == "r"


def test_an_unknown_break_is_an_error():
    with pytest.raises(KeyError):
        break_output("explode", output())
    with pytest.raises(KeyError):
        plant([], "explode", 0.5)


@pytest.mark.parametrize("share", [0, -0.1, 1.01, float("nan")])
def test_a_share_outside_its_range_is_an_error(share: float):
    with pytest.raises(ValueError, match="share"):
        plant(pairs(3), "negate", share)


@given(
    st.sampled_from(BREAKS),
    st.floats(0.01, 1),
    st.floats(0.01, 1),
    st.integers(1, 30),
    st.integers(),
)
def test_a_larger_share_breaks_the_same_samples_and_more(
    name: str, one: float, other: float, number: int, seed: int
):
    small, large = (plant(pairs(number), name, share, seed) for share in sorted((one, other)))

    assert set(small.ids) <= set(large.ids)
    assert small == plant(pairs(number), name, min(one, other), seed)


@given(st.sampled_from(BREAKS), st.floats(0.01, 1), st.integers(1, 30))
def test_what_is_planted_is_what_differs(name: str, share: float, number: int):
    before = pairs(number)
    planted = plant(before, name, share)

    assert [sample for sample, _ in planted.pairs] == [sample for sample, _ in before]
    differs = [
        sample.id
        for (sample, old), (_, new) in zip(before, planted.pairs, strict=True)
        if output_hash(old) != output_hash(new)
    ]
    assert tuple(differs) == planted.ids
    assert len(planted.ids) <= planted.wanted


@given(st.sampled_from(BREAKS), st.text(max_size=80))
def test_any_answer_can_be_broken_or_left(name: str, answer: str):
    assert break_output(name, output(answer), [OTHER]).error is None


def test_the_seed_chooses_other_samples():
    chosen = {plant(pairs(40), "negate", 0.1, seed).ids for seed in range(5)}

    assert len(chosen) > 1


def test_outputs_that_failed_or_hold_nothing_to_break_are_passed_over():
    failed = SystemOutput(error=Failure(kind="system", message="boom"))
    given_pairs = [
        (Sample(id="failed", query="?"), failed),
        (Sample(id="plain", query="?"), output("no number at all")),
        (Sample(id="number", query="?"), output("It is 5.")),
    ]

    planted = plant(given_pairs, "change_numbers", 1.0)

    assert (planted.ids, planted.wanted) == (("number",), 3)
