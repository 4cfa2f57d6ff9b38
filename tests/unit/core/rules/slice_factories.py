"""Comparisons of golden sets with tags, for tests of slices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ragate.core.comparison.compare import Comparison, compare
from ragate.models import MetricInfo, Reads, Sample, Slice
from tests.unit.core.decision_factories import NOISY, columns, run_of


def part(name: str = "billing", **fields: Any) -> Slice:
    defaults: dict[str, Any] = {"tags": (name,), "metrics": ("faithfulness",)}
    return Slice(**({"name": name} | defaults | fields))


def tagged(sizes: dict[str, int], *, rest: int = 0) -> list[Sample]:
    """Return samples with one tag each, in the order of `sizes`, then `rest` without one."""
    tags = [(tag,) for tag, size in sizes.items() for _ in range(size)] + [()] * rest
    return [
        Sample(id=f"q{row:04d}", query=f"question {row}", tags=each)
        for row, each in enumerate(tags)
    ]


def pair(
    samples: Sequence[Sample],
    base: Any,
    cand: Any,
    *,
    infos: Sequence[MetricInfo] = (NOISY,),
    exact: bool = False,
    cluster: str = "",
    **manifest: Any,
) -> Comparison:
    """Compare arrays (samples, passes), or (samples, passes, metrics) for several `infos`.

    Args:
        exact: Both sides declare that they repeat.
    """
    before, after = (np.asarray(side, dtype=float) for side in (base, cand))
    if before.ndim == 2:
        before, after = before[:, :, None], after[:, :, None]
    kept = (Reads.RETRIEVAL, Reads.ANSWER) if exact else (Reads.RETRIEVAL,)
    baseline, candidate = (
        run_of(
            {info.name: columns(side[:, :, m]) for m, info in enumerate(infos)},
            samples,
            infos=infos,
            words=words,
            deterministic=kept,
            same_outputs=exact,
            **(manifest if words == "after" else {}),
        )
        for side, words in ((before, "before"), (after, "after"))
    )
    return compare(baseline, candidate, samples, cluster=cluster)
