"""Agreement of two raters beyond chance."""

from collections import Counter
from collections.abc import Hashable, Sequence

_EDGE = 1e-9


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


def weighted_kappa(grades: Sequence[float], other_grades: Sequence[float]) -> float | None:
    """Return kappa with quadratic weights, for grades: a near miss counts less than a far one.

    Formula: 1 - sum (a_i - b_i)^2 / expected sum, over all n^2 pairs divided by n. None where the
    expected sum is 0.

    Source:
        Cohen, Weighted kappa, 1968.
    """
    n = len(grades)
    if not n:
        return None
    squares = sum((a - b) ** 2 for a, b in zip(grades, other_grades, strict=True))
    expected = sum((a - b) ** 2 for a in grades for b in other_grades) / n
    return None if expected < _EDGE else 1 - squares / expected
