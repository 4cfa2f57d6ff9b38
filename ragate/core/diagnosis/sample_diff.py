"""What is known of one sample whose two sides differ."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Self

from ragate.core.diagnosis.rank_changes import Ranking, rank_changes, rankings
from ragate.core.diagnosis.score_delta import ScoreDelta, means, score_deltas, to_explain
from ragate.core.diagnosis.system_changes import NOT_COMPARED, SystemChanges
from ragate.core.text.listed_names import listed
from ragate.models import Cause, CauseKind, MetricInfo, RankChange, Record, Sample

_SHOWN = 3


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
