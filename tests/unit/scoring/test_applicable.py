"""Whether a metric can speak about a golden set is known before all of it is read."""

from __future__ import annotations

from collections.abc import Sequence
from typing import overload

from ragate import plugins
from ragate.models import Sample
from ragate.scoring.policy_metrics import applies
from tests.factories import sample_factory

LARGE = 5000


class Counted(Sequence[Sample]):
    """Samples that are made when they are looked at, and how many were."""

    def __init__(self, *, relevant: int) -> None:
        self.read = 0
        self._relevant = relevant

    def __len__(self) -> int:
        return LARGE

    @overload
    def __getitem__(self, row: int) -> Sample: ...
    @overload
    def __getitem__(self, row: slice) -> list[Sample]: ...
    def __getitem__(self, row: int | slice) -> Sample | list[Sample]:
        if isinstance(row, slice):
            return [self[each] for each in range(*row.indices(LARGE))]
        if row >= LARGE:
            raise IndexError
        self.read += 1
        return sample_factory(f"q{row}", relevant={"a": 1} if row >= self._relevant else {})


def hit_rate():
    return plugins.metric("hit_rate@5")


def test_the_first_sample_that_it_can_speak_about_is_enough():
    samples = Counted(relevant=3)

    assert applies(hit_rate(), samples)
    assert samples.read < LARGE / 10


def test_the_last_sample_counts_as_well():
    assert applies(hit_rate(), Counted(relevant=LARGE - 1))


def test_where_no_sample_has_what_it_needs_it_does_not_apply():
    assert not applies(hit_rate(), Counted(relevant=LARGE))
