"""Which of the stored runs are meant."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from ragate.stores.listed_run import ListedRun, RunStatus


@dataclass(frozen=True)
class RunFilter:
    """Conditions that a run meets all of; an empty one is no condition.

    Attributes:
        commit: The first digits of a commit.
        since, until: Days in UTC, ISO 8601, both included.
        model: Part of a model's name, in any case.
    """

    gate: str = ""
    commit: str = ""
    branch: str = ""
    since: str = ""
    until: str = ""
    model: str = ""
    statuses: frozenset[RunStatus] = frozenset()
    meta: Mapping[str, str] = field(default_factory=dict)

    @property
    def empty(self) -> bool:
        """True where every run is meant."""
        return self == RunFilter()

    def fits(self, run: ListedRun) -> bool:
        """Return whether a run meets every condition."""
        return (
            self.gate in ("", run.gate)
            and self.branch in ("", run.branch)
            and run.commit.startswith(self.commit.lower())
            and (not self.statuses or run.status in self.statuses)
            and self._dated(run)
            and (not self.model or any(self.model.lower() in each.lower() for each in run.models))
            and all(run.meta.get(key) == value for key, value in self.meta.items())
        )

    def _dated(self, run: ListedRun) -> bool:
        if not self.since and not self.until:
            return True
        # An unfinished run has no manifest that says when; its id begins with the day.
        digits = run.run_id[:8]
        day = run.created[:10] or f"{digits[:4]}-{digits[4:6]}-{digits[6:]}"
        return self.since <= day and (not self.until or day <= self.until)


def fitting(runs: Iterable[ListedRun], wanted: RunFilter) -> Iterator[ListedRun]:
    """Yield the runs that are meant, in their order."""
    return iter(runs) if wanted.empty else filter(wanted.fits, runs)
