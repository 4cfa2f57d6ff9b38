"""Agreement of two raters beyond chance."""

from collections import Counter
from collections.abc import Hashable, Sequence


def kappa(ratings: Sequence[Hashable], other_ratings: Sequence[Hashable]) -> float | None:
    """Return Cohen's kappa: agreement beyond chance, 1 at most.

    Formula: (p - e) / (1 - e), p the share of equal pairs, e the share expected of two raters with
    these margins. None where e is 1: both always say the same one thing, and chance explains it
    all.

    Source:
        Cohen, A coefficient of agreement for nominal scales, 1960.
    """
    n = len(ratings)
    if not n:
        return None
    equal = sum(a == b for a, b in zip(ratings, other_ratings, strict=True))
    ours, theirs = Counter(ratings), Counter(other_ratings)
    # In whole numbers, so that a margin of one is told exactly.
    chance = sum(count * theirs[value] for value, count in ours.items())
    return None if chance == n * n else (n * equal - chance) / (n * n - chance)
