"""Pairs of runs for the tests of this folder."""

from __future__ import annotations

import numpy as np


def flips(n: int, lost: int, gained: int = 0, *, base: int = 3, cand: int = 3):
    """Arrays of a steady system where `lost` samples break and `gained` are mended."""
    before = np.ones((n, base))
    before[lost : lost + gained] = 0.0
    after = np.ones((n, cand))
    after[:lost] = 0.0
    return before, after
