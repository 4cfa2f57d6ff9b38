"""From a baseline to the rankings that a run is compared with."""

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from ragate.core.lookup import first_runs
from ragate.core.ranking import ranked_doc_ids
from ragate.models import Record, Run
from ragate.protocols import NO_RANKINGS, EarlierRankings


class _Rankings(Mapping[str, tuple[str, ...]]):
    """Document ids by content hash; the records are looked at once somebody asks."""

    def __init__(self, records: Sequence[Record]) -> None:
        self._records = records

    @cached_property
    def _firsts(self) -> Mapping[str, Record]:
        return first_runs(self._records)

    def __getitem__(self, key: str) -> tuple[str, ...]:
        output = self._firsts[key].output
        if output.error is not None:
            raise KeyError(key)
        return tuple(ranked_doc_ids(output.chunks))

    def __iter__(self) -> Iterator[str]:
        return (key for key, record in self._firsts.items() if record.output.error is None)

    def __len__(self) -> int:
        return sum(1 for _ in self)


def earlier_rankings(baseline: Run | None, *, recording: bool = False) -> EarlierRankings:
    """Return what metrics of churn compare with.

    Args:
        recording: What is scored becomes the baseline itself.
    """
    if recording:
        return EarlierRankings(itself=True)
    return NO_RANKINGS if baseline is None else EarlierRankings(_Rankings(baseline.records))
