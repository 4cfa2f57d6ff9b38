"""Rankings beside the baseline's."""

from __future__ import annotations

from collections.abc import Mapping

from ragate.core.hashing import content_hash
from ragate.models import Sample, Score, SystemOutput
from ragate.protocols import EarlierRankings
from tests.unit.metrics.metric_factories import aggregate, broken, retrieved

FAILED, OUT = broken("system", "a"), broken("provider", "a")
EVERY = ("overlap@10", "rbo", "first_hit_displacement")


def question(name: str) -> Sample:
    return Sample(id=name, query=name)


def churn(name: str, before: Mapping[str, str], now: Mapping[str, SystemOutput | str]) -> Score:
    """Return the score of outputs by question, or of rankings, each letter a document."""
    docs = {content_hash(question(asked)): tuple(ids) for asked, ids in before.items()}
    pairs = [
        (question(asked), retrieved(*given) if isinstance(given, str) else given)
        for asked, given in now.items()
    ]
    return aggregate(name, pairs, earlier=EarlierRankings(docs))


def one(name: str, before: str, now: SystemOutput | str) -> Score:
    return churn(name, {"q": before}, {"q": now})
