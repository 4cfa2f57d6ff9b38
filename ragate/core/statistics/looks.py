"""The two looks at a candidate, and the level at which each may be red: together at most alpha.

The first look is one pass over the samples. A drop that is clear there is red at once, at the fast
level; a suspicious one is confirmed by more passes, and tested anew on all of them at the confirmed
level. An unchanged system is red in the first look with a chance of at most the fast level and in
the second of at most the confirmed one, so that both together stay within alpha.
"""

from dataclasses import dataclass

SUSPICIOUS = 0.2
SUSPICIOUS_SLICES = 0.05  # a quarter, as of alpha: else each change would ask for more passes
FAST_SHARE = 0.2
TRIES = 3  # of a question that must pass and never failed by itself
FLIPS_TRIES = 12  # of one that did
CONFIRM = 2  # further passes of a suspicious candidate, where the system can give them


def fast_level(alpha: float) -> float:
    """Return the level of the first look: 0.004 for an alpha of 0.02."""
    return FAST_SHARE * alpha


def confirmed_level(alpha: float) -> float:
    """Return the level of the look at all confirmed passes: 0.016 for an alpha of 0.02."""
    return (1 - FAST_SHARE) * alpha


@dataclass(frozen=True)
class Stages:
    """How often a candidate is looked at before its verdict is final.

    Attributes:
        alpha: Chance that an unchanged system is red, over all looks and metrics together.
        confirm: Further passes that a suspicious first one gets; 0 where it gets none, since
            the system holds no more: then one look has the whole of alpha.
    """

    alpha: float
    confirm: int = 0

    def level(self, passes: int) -> float:
        """Return the level of a test on `passes` passes of the candidate."""
        if self.confirm < 1:
            return self.alpha
        final = passes > self.confirm
        return confirmed_level(self.alpha) if final else fast_level(self.alpha)

    def still_wanted(self, passes: int) -> int:
        """Return how many passes a suspicious candidate lacks to be final."""
        return max(0, 1 + self.confirm - passes)
