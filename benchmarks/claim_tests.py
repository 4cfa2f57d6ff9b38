"""The gate's test of a family of metrics, by the claim that decides."""

from __future__ import annotations

from benchmarks.gate_model import Floats
from ragate.core.statistics.permutation import Block, flip, relabel, step_down


def family_p(block: Block, *, flips: bool, seed: int, draws: int) -> Floats:
    """Return every metric's adjusted p: by sign flips (generalise) or by relabelling (this-set)."""
    if flips:
        return step_down(flip(block.differences, seed=seed, draws=draws))
    return step_down(relabel([block], seed=seed, draws=draws))
