"""Pairs of runs whose samples stand together in clusters."""

from __future__ import annotations

from ragate.models import Sample
from tests.unit.core.decision_factories import noisy_pair


def clusters_of(sizes: list[int], lost: list[int], *, runs: int = 1):
    """Compare samples in clusters of these sizes, of which so many break in every run."""
    samples = [
        Sample(id=f"{cluster}-{row}", query=f"{cluster} {row}", metadata={"doc": str(cluster)})
        for cluster, size in enumerate(sizes)
        for row in range(size)
    ]
    after = [
        [0.0 if row < broken else 1.0] * runs
        for size, broken in zip(sizes, lost, strict=True)
        for row in range(size)
    ]
    return noisy_pair([[1.0] * runs] * len(samples), after, samples, cluster="doc")
