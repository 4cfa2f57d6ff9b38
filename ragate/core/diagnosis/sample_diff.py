"""What is known of one sample whose two sides differ."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from ragate.core.diagnosis.output_evidence import Ranking, rank_changes, rankings
from ragate.core.diagnosis.score_delta import Movement, focus, means, movements
from ragate.core.diagnosis.system_changes import NOT_COMPARED, SystemChanges
from ragate.models import Cause, CauseKind, MetricInfo, RankChange, Record, Sample

_SHOWN = 3


@dataclass(frozen=True)
class SampleDiff:
    """One sample's records on both sides, and what is known of the whole run.

    Attributes:
        missing: Expected documents that are not in the candidate's corpus.
        control: Records of the base version, run today.
        drifted: Metrics whose mean the control moved at least half as far as the candidate did.
        incomparable: Metrics measured with another version or judge on the two sides.
        changes: What differs between the systems of the two sides.
        edited: True where the baseline has a sample of this id with another content.
        found: The movements between the sides, where the caller has them already.
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
    found: Sequence[Movement] | None = None

    def between(
        self, before: Sequence[Record], after: Sequence[Record], *, control: Sequence[Record] = ()
    ) -> SampleDiff:
        """Return the case with other records on its sides."""
        return replace(self, before=before, after=after, control=control, found=None)

    @cached_property
    def moved(self) -> list[Movement]:
        """The movements to explain, largest first."""
        if self.found is not None:
            return focus(self.found)
        return self.movements_to(self.after)

    def movements_to(self, records: Sequence[Record]) -> list[Movement]:
        found = movements(
            means(self.before), means(records), self.metrics, incomparable=self.incomparable
        )
        return focus(found)

    @property
    def lead(self) -> Movement | None:
        return self.moved[0] if self.moved else None

    @property
    def worse(self) -> bool:
        return bool(self.moved) and self.moved[0].good < 0

    @cached_property
    def ranks(self) -> tuple[RankChange, ...]:
        return rank_changes(self.sample.expected, *self.rankings)

    @cached_property
    def rankings(self) -> tuple[list[Ranking], list[Ranking]]:
        """The documents of each run in rank order, by side."""
        return rankings(self.before), rankings(self.after)

    @cached_property
    def known(self) -> frozenset[str]:
        """Hashes of the outputs that the baseline gave."""
        return frozenset(record.output_hash for record in self.before)


def unknown(evidence: str) -> Cause:
    """Return a cause that blames nothing."""
    return Cause(kind=CauseKind.UNKNOWN, evidence=evidence)


def named(doc_ids: Collection[str]) -> str:
    """Return the first few ids, and how many more there are."""
    shown = list(doc_ids)[:_SHOWN]
    rest = len(doc_ids) - len(shown)
    return ", ".join(shown) + (f" and {rest} more" if rest else "")


def values(records: Sequence[Record], metric: str) -> list[float]:
    """Return the values of `metric` in the runs that have one."""
    scores = (record.scores.get(metric) for record in records)
    return [score.value for score in scores if score is not None and score.value is not None]
