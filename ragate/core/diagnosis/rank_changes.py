"""The documents that one sample's runs retrieved, and how the ranks differ between two sides."""

import math
from collections.abc import Collection, Iterable, Sequence
from statistics import median_low

from ragate.core.ranking import ranked_doc_ids
from ragate.models import RankChange, Record

Ranking = Sequence[str]


def docs_of(record: Record) -> tuple[str, ...]:
    """Return the retrieved documents in rank order, each once."""
    return tuple(ranked_doc_ids(record.output.chunks))


def rankings(records: Iterable[Record]) -> list[Ranking]:
    """Return each run's documents in rank order; equal retrievals are read once."""
    by_hash: dict[str, Ranking] = {}
    runs = []
    for record in records:
        if record.retrieval_hash not in by_hash:
            by_hash[record.retrieval_hash] = docs_of(record)
        runs.append(by_hash[record.retrieval_hash])
    return runs


def rank_changes(
    expected: Collection[str], before: Sequence[Ranking], after: Sequence[Ranking]
) -> tuple[RankChange, ...]:
    """Return the median rank of each expected document on both sides, None where not retrieved."""
    return tuple(
        RankChange(doc_id=doc_id, before=_median(doc_id, before), after=_median(doc_id, after))
        for doc_id in sorted(expected)
    )


def _median(doc_id: str, runs: Sequence[Ranking]) -> int | None:
    if not runs:
        return None
    middle = median_low([run.index(doc_id) + 1 if doc_id in run else math.inf for run in runs])
    return None if math.isinf(middle) else int(middle)


def newcomers(
    before: Iterable[Ranking], after: Iterable[Ranking], *, was: int | None, now: int | None
) -> list[str]:
    """Return the documents among the first `now` that were not among the first `was` before."""
    old = {doc_id for ranking in before for doc_id in ranking[:was]}
    new = dict.fromkeys(doc_id for ranking in after for doc_id in ranking[:now])
    return [doc_id for doc_id in new if doc_id not in old]
