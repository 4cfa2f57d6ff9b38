"""What is known of one sample whose two sides differ, its ranks and scores among it."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from statistics import median_low
from typing import NamedTuple, Self

from ragate.core.diagnosis.system_changes import NOT_COMPARED, SystemChanges
from ragate.core.hashing import is_recorded
from ragate.core.ranking import ranked_doc_ids
from ragate.core.text.wording import listed
from ragate.models import (
    Cause,
    CauseKind,
    Direction,
    MetricInfo,
    Needs,
    RankChange,
    Reads,
    Record,
    Sample,
)

Ranking = Sequence[str]
_SHOWN = 3
# A baseline holds six decimals; a smaller difference is the rounding.
SLACK = 1e-6


class ScoreDelta(NamedTuple):
    """One metric that moved on one sample.

    Attributes:
        gain: The change in the good sense as a share of the metric's range; below 0 is worse.
        reads: What the metric looks at.
        judged: True where a judge or an embedder scores, so that equal outputs can differ.
        comparable: False where the two sides were measured with different yardsticks.
    """

    metric: str
    before: float
    after: float
    gain: float
    reads: Reads = Reads.ANSWER
    judged: bool = True
    comparable: bool = True

    @property
    def words(self) -> str:
        return f"{self.metric} {self.before:.3f} -> {self.after:.3f}"


def values(records: Sequence[Record], metric: str) -> list[float]:
    """Return the values of `metric` in the runs that have one."""
    scores = (record.scores.get(metric) for record in records)
    return [score.value for score in scores if score is not None and score.value is not None]


def apart(old: Sequence[float], new: Sequence[float]) -> bool:
    """Return True where all values of one side lie beyond all of the other; False without any."""
    return bool(old and new) and (max(new) < min(old) or min(new) > max(old))


def means(records: Iterable[Record]) -> dict[str, float]:
    """Return each metric's mean over the runs that have a value; metrics without one are absent."""
    by_metric: dict[str, list[float]] = {}
    for record in records:
        for name, score in record.scores.items():
            if score.value is not None:
                by_metric.setdefault(name, []).append(score.value)
    return {name: sum(values) / len(values) for name, values in by_metric.items()}


def gain(before: float, after: float, info: MetricInfo | None) -> float:
    """Return the change in the good sense; unbounded metrics are taken relative to their size."""
    change = after - before
    if info is None:
        return change
    if info.direction is Direction.LOWER:
        change = -change
    width = info.high - info.low if info.high is not None else max(abs(before), abs(after))
    return change / width if width > 0 else change


def score_deltas(
    before: Mapping[str, float],
    after: Mapping[str, float],
    metrics: Mapping[str, MetricInfo],
    *,
    incomparable: frozenset[str] = frozenset(),
) -> list[ScoreDelta]:
    """Return the metrics with a mean on both sides that differ by more than rounding.

    Metrics in seconds are left out: they differ between any two runs.
    """
    deltas = []
    for name, old in before.items():
        new = after.get(name)
        if new is None or abs(new - old) <= SLACK:
            continue
        info = metrics.get(name)
        if info is not None and info.unit == "seconds":
            continue
        deltas.append(
            ScoreDelta(
                metric=name,
                before=old,
                after=new,
                gain=gain(old, new, info),
                reads=info.reads if info else Reads.ANSWER,
                judged=info is None or info.needs is not Needs.NOTHING,
                comparable=name not in incomparable,
            )
        )
    return deltas


def to_explain(deltas: Sequence[ScoreDelta]) -> list[ScoreDelta]:
    """Return the deltas to explain, largest first: what got worse, else what got better.

    Metrics measured with two yardsticks count only where no other moved.
    """
    pool = [delta for delta in deltas if delta.comparable] or deltas
    worse = [delta for delta in pool if delta.gain < 0]
    return sorted(worse or pool, key=lambda delta: (-abs(delta.gain), delta.metric))


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
        incomparable: Metrics measured with another version or judge on the two sides.
        changes: What differs between the systems of the two sides.
        edited: True where the baseline has a sample of this id with another content.
    """

    sample: Sample
    before: Sequence[Record]
    after: Sequence[Record]
    metrics: Mapping[str, MetricInfo] = field(default_factory=dict)
    missing: tuple[str, ...] = ()
    incomparable: frozenset[str] = frozenset()
    changes: SystemChanges = NOT_COMPARED
    edited: bool = False

    def between(self, before: Sequence[Record], after: Sequence[Record]) -> Self:
        """Return the diff with other records on its sides."""
        return replace(self, before=before, after=after)

    @property
    def records(self) -> tuple[Record, ...]:
        """The passes of both sides."""
        return (*self.before, *self.after)

    @cached_property
    def old_contexts(self) -> frozenset[str]:
        """Hashes of what the baseline retrieved."""
        return frozenset(record.retrieval_hash for record in self.before)

    @property
    def same_contexts(self) -> bool:
        """Whether each pass retrieved what one of the baseline did."""
        return all(record.retrieval_hash in self.old_contexts for record in self.after)

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

    @property
    def is_taken(self) -> bool:
        """Whether all passes asked the model for the same, so that the baseline's answers count."""
        requests = {each.output.request_hash for each in self.records}
        (request,) = requests if len(requests) == 1 else (None,)
        return request is not None and not is_recorded(request)

    @cached_property
    def output_hashes(self) -> frozenset[str]:
        """Hashes of the outputs that the baseline gave."""
        return frozenset(record.output_hash for record in self.before)


def unknown(evidence: str) -> Cause:
    """Return a cause that blames nothing."""
    return Cause(kind=CauseKind.UNKNOWN, evidence=evidence)


def generation(evidence: str) -> Cause:
    """Return a cause that blames what writes the answer."""
    return Cause(kind=CauseKind.GENERATION, evidence=evidence)


def named(doc_ids: Sequence[str]) -> str:
    """Return the first few ids, and how many more there are."""
    return listed(doc_ids, most=_SHOWN)
