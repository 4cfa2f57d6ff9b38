"""Vectors without a model, and scores by them."""

from __future__ import annotations

import hashlib
from typing import Any

import numpy as np

from ragate.models import Sample, Score, SystemOutput
from tests.unit.metrics.metric_factories import (
    make,
)

ANSWER = "Refunds take thirty days. Shipping is free! Is the moon made of cheese?"
CONTEXTS = (
    "Refunds are possible within thirty days.",
    "Shipping is free of charge.",
    "Other things.",
)
QUESTION = "How long do refunds take?"
REFERENCES = ("A refund is possible for thirty days.", "Within 30 days.")


def vector(text: str) -> Any:
    """Return some vector: the same for the same text, near for texts of the same letters."""
    rows = [
        np.frombuffer(hashlib.sha512(text[i : i + 3].lower().encode()).digest(), np.uint8)
        for i in range(max(1, len(text) - 2))
    ]
    return np.sum([row.astype(np.float64) - 127.5 for row in rows], axis=0).astype(np.float32)


def measured(name: str, sample: Sample, output: SystemOutput, **settings: Any) -> Score:
    made = make(name, settings=settings, samples=[sample])
    texts = made.texts(sample, output)
    found: Score = made.score(
        sample, output, {text: vector(text).astype(np.float64) for text in texts}
    )
    return found


def cosine(one: str, other: str) -> float:
    a, b = vector(one).astype(np.float64), vector(other).astype(np.float64)
    return max(0.0, float(np.dot(a, b) / (np.linalg.norm(a) * np.linalg.norm(b) + 1e-10)))
