"""All that some judge may be asked as a known answer: each dress and wording, in each place."""

from __future__ import annotations

from functools import cache
from typing import get_args

from ragate.core.judging.canary_rule import DRESSES
from ragate.judges import Canary, dress, planted, wordings
from ragate.judges._canaries.known_answers import KINDS, Place


@cache
def every_canary() -> dict[str, tuple[Canary, ...]]:
    """Return them by the id of their sample, which those share that differ in place alone."""
    known: dict[str, tuple[Canary, ...]] = {}
    for canary in (dress(kind, number) for kind in KINDS for number in range(DRESSES)):
        known[canary.sample.id] = (canary,)
        for wording in wordings():
            moved = tuple(planted(canary, wording, place) for place in get_args(Place))
            known[moved[0].sample.id] = moved
    return known
