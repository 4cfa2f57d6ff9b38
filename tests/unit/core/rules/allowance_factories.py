"""Pairs of runs for the tests of this folder."""

from __future__ import annotations

import numpy as np

from ragate.models import MetricInfo
from tests.unit.core.decision_factories import noisy_pair


def worse_by(drop: float, *, fingerprint: str = "other", info: MetricInfo | None = None):
    """200 steady answers, a quarter of which loses so much that the mean falls by `drop`."""
    before = np.full((200, 3), 0.6)
    after = before.copy()
    after[:50] -= drop * 4
    if info is None:
        return noisy_pair(before, after, fingerprint=fingerprint)
    low, span = info.low, (info.high or 1.0) - info.low
    return noisy_pair(low + span * before, low + span * after, info=info, fingerprint=fingerprint)
