"""What is known of one sample whose two sides differ, its ranks among it."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from statistics import median_low
from typing import Self

from ragate.core.diagnosis.score_delta import ScoreDelta, means, score_deltas, to_explain
from ragate.core.diagnosis.system_changes import NOT_COMPARED, SystemChanges
from ragate.core.ranking import ranked_doc_ids
from ragate.core.text.wording import listed
from ragate.models import Cause, CauseKind, MetricInfo, RankChange, Record, Sample

Ranking = Sequence[str]
_SHOWN = 3


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


@dataclass(frozen=True)
class SampleDiff:
    """One sample's records on both sides, and what is known of the whole run.

    Attributes:
        sample: The sample as it is now.
        before: Its passes in the baseline; chunks may lack their texts.
        after: Its passes in the candidate.
        metrics: What each metric is; one that is not named is taken as judged, higher better.
        missing: Expected documents that are not in the candidate's corpus.
        control: Its passes by the base version, run today.
        drifted: Metrics whose mean the control moved at least half as far as the candidate did.
        incomparable: Metrics measured with another version or judge on the two sides.
        changes: What differs between the systems of the two sides.
        edited: True where the baseline has a sample of this id with another content.
    """

    sample: Sample
    before: Sequence[Record]
    after: Sequence[Record]
    metrics: Mapping[str, MetricInfo] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    control: Sequence[Record] = ()
    drifted: frozenset[str] = frozenset()
    incomparable: frozenset[str] = frozenset()
    changes: SystemChanges = NOT_COMPARED
    edited: bool = False

    def between(self, before: Sequence[Record], after: Sequence[Record]) -> Self:
        """Return the diff with other records on its sides, and without its control."""
        return replace(self, before=before, after=after, control=())

    @cached_property
    def means(self) -> tuple[dict[str, float], dict[str, float]]:
        """Each metric's mean over the runs, by side."""
        return means(self.before), means(self.after)

    @cached_property
    def all_deltas(self) -> list[ScoreDelta]:
        """Every metric that moved."""
        return score_deltas(*self.means, self.metrics, incomparable=self.incomparable)

    @cached_property
    def deltas(self) -> list[ScoreDelta]:
        """The deltas to explain, largest first."""
        return to_explain(self.all_deltas)

    @property
    def largest(self) -> ScoreDelta | None:
        """The delta to explain first, None where no score moved."""
        return self.deltas[0] if self.deltas else None

    @property
    def worse(self) -> bool:
        """Whether what has to be explained is a loss."""
        return bool(self.deltas) and self.deltas[0].gain < 0

    @cached_property
    def ranks(self) -> tuple[RankChange, ...]:
        return rank_changes(self.sample.expected, *self.rankings)

    @cached_property
    def rankings(self) -> tuple[list[Ranking], list[Ranking]]:
        """The documents of each run in rank order, by side."""
        return rankings(self.before), rankings(self.after)

    @cached_property
    def output_hashes(self) -> frozenset[str]:
        """Hashes of the outputs that the baseline gave."""
        return frozenset(record.output_hash for record in self.before)


def unknown(evidence: str) -> Cause:
    """Return a cause that blames nothing."""
    return Cause(kind=CauseKind.UNKNOWN, evidence=evidence)


def named(doc_ids: Sequence[str]) -> str:
    """Return the first few ids, and how many more there are."""
    return listed(doc_ids, most=_SHOWN)
