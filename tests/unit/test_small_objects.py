"""What is kept for every sample is small; what code of a user may write to is not shared."""

from __future__ import annotations

import math
import tracemalloc
from collections.abc import Callable

from ragate.models import Sample, Score, SystemOutput
from ragate.models.base import lean
from ragate.models.score import shared_scores

MANY = 2000


def bytes_each(make: Callable[[int], object]) -> float:
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        kept = [make(number) for number in range(MANY)]
        after, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return (after - before) / len(kept)


def test_a_kept_output_takes_far_less_than_a_new_one() -> None:
    def new(number: int) -> SystemOutput:
        return SystemOutput(answer=str(number), chunks=())

    # Less than half up to Python 3.12; since 3.13 an object's fields take no table of their own.
    assert bytes_each(lambda number: lean(new(number))) < bytes_each(new) - 100


def test_a_kept_object_equals_the_one_it_was_made_of() -> None:
    output = SystemOutput(answer="yes", citations=(1,))
    kept = lean(output)
    assert kept == output
    assert kept.model_dump_json(exclude_unset=True) == output.model_dump_json(exclude_unset=True)
    assert kept.model_copy(update={"answer": "no"}) == SystemOutput(answer="no", citations=(1,))


def test_two_kept_samples_share_no_dictionary() -> None:
    one, other = (lean(Sample(id=name, query="?")) for name in "ab")
    one.metadata["seen"] = True
    assert other.metadata == {}
    assert Sample(id="c", query="?").metadata == {}


def test_equal_scores_are_one_object() -> None:
    one, other = (shared_scores({"recall@5": Score("recall@5", 0.5)}) for _ in range(2))
    assert one is other


def test_a_negative_zero_keeps_its_sign() -> None:
    shared_scores({"x": Score("x", 0.0)})
    value = shared_scores({"x": Score("x", -0.0)})["x"].value
    assert value is not None
    assert math.copysign(1, value) == -1


def test_scores_under_another_name_are_another_row() -> None:
    score = Score("x", 0.25)
    assert list(shared_scores({"x": score})) == ["x"]
    assert list(shared_scores({"y": score})) == ["y"]
