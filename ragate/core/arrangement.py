"""What is done to retrieved passages before an answer is written: another order, or distractors.

A sample says it in `Sample.arrange`: ``reversed``, ``shuffled`` or ``distractors:N``.
"""

import hashlib
from collections.abc import Sequence
from typing import TypeVar

T = TypeVar("T")
ORDERS = ("reversed", "shuffled")
DISTRACTORS = "distractors"
MOST, USUAL = 99, 3


def distractors_wanted(arrange: str) -> int:
    """Return how many passages that do not belong to the question are put in."""
    name, _, count = arrange.partition(":")
    return int(count) if name == DISTRACTORS else 0


def in_order(passages: Sequence[T], arrange: str, *, key: str) -> tuple[T, ...]:
    """Return the passages in the order that is asked for; of two or more it is another one.

    Args:
        key: The same key gives the same order: the question.
    """
    if arrange == "reversed":
        return tuple(reversed(passages))
    if arrange != "shuffled":
        return tuple(passages)
    places = sorted(range(len(passages)), key=lambda place: _drawn(key, place))
    if places == sorted(places):
        places.reverse()
    return tuple(passages[place] for place in places)


def spread(passages: Sequence[T], distractors: Sequence[T]) -> tuple[T, ...]:
    """Return the passages in their order, with the distractors at even distances between them."""
    total = len(passages) + len(distractors)
    among = iter(passages)
    taken = {
        (2 * n + 1) * total // (2 * len(distractors)): one for n, one in enumerate(distractors)
    }
    return tuple(taken[place] if place in taken else next(among) for place in range(total))


def _drawn(key: str, place: int) -> bytes:
    return hashlib.sha256(f"{place}\0{key}".encode("utf-8", "surrogatepass")).digest()
