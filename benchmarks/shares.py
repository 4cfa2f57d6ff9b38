"""A simulated share with its sampling error."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import NormalDist


def share(hits: Iterable[bool]) -> str:
    """Return ``.033 (.026 to .041)``: the share of true ones and its 95 % Wilson interval."""
    found = [bool(hit) for hit in hits]
    n, mean = len(found), sum(found) / len(found)
    z = NormalDist().inv_cdf(0.975)
    centre = (mean + z * z / (2 * n)) / (1 + z * z / n)
    half = z / (1 + z * z / n) * (mean * (1 - mean) / n + z * z / (4 * n * n)) ** 0.5
    low, high = max(0.0, centre - half), min(1.0, centre + half)
    return f"{mean:.3f} ({low:.3f} to {high:.3f})"
