"""A run that took over passes of earlier runs: which passes are its own, and which may decide.

Passes count together only where everything that the system reads is proven the same. Elsewhere a
service may have been deployed anew, or a table may have lost its rows, without a trace in git: then
the newest run alone decides, and good passes of yesterday do not hide what is broken today.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import overload

from ragate.core.comparison.run_passes import read_passes
from ragate.core.hashing import calls_hash, is_recorded
from ragate.models import Record, Run, RunManifest

_NO_CALLS = calls_hash(())


class RecordsFrom(Sequence[Record]):
    """Some records of a run in a row, each read when it is looked at."""

    def __init__(self, records: Sequence[Record], start: int, stop: int) -> None:
        self._records = records
        self._rows = range(start, stop)

    def __len__(self) -> int:
        return len(self._rows)

    def __iter__(self) -> Iterator[Record]:
        return (self._records[row] for row in self._rows)

    @overload
    def __getitem__(self, row: int) -> Record: ...
    @overload
    def __getitem__(self, row: slice) -> list[Record]: ...
    def __getitem__(self, row: int | slice) -> Record | list[Record]:
        if isinstance(row, slice):
            return [self._records[each] for each in self._rows[row]]
        return self._records[self._rows[row]]


def earlier_passes(manifest: RunManifest) -> int:
    """Return how many passes of a run were made by earlier runs: its first ones."""
    return sum(each.passes for each in manifest.earlier)


def newest_run(run: Run) -> Run:
    """Return `run` without the passes of earlier runs; the numbers of its passes stay."""
    earlier = earlier_passes(run.manifest)
    return _passes_between(run, earlier, None) if earlier else run


def earlier_run(run: Run) -> Run:
    """Return the passes of earlier runs alone."""
    return _passes_between(run, 0, earlier_passes(run.manifest))


def deciding_run(run: Run) -> Run:
    """Return the passes that decide: all where the state is the same, else the newest run's."""
    return run if not run.manifest.earlier or is_same_state(run) else newest_run(run)


def is_same_state(run: Run) -> bool:
    """Return whether all that the system reads is proven to be what it was in the earlier runs.

    Known of the system, or seen in the passes: every sample made the same recorded model requests
    and retrieved the same texts in each of them.
    """
    return run.manifest.same_state or _made_the_same_calls(run)


def _made_the_same_calls(run: Run) -> bool:
    calls: dict[str, tuple[str, str]] = {}
    for record in run.records:
        request = record.output.request_hash
        if request is None or not is_recorded(request) or request == _NO_CALLS:
            return False
        call = (request, record.retrieval_hash)
        if calls.setdefault(record.sample_id, call) != call:
            return False
    return bool(calls)


def _passes_between(run: Run, start: int, end: int | None) -> Run:
    """Return the passes numbered from `start` to before `end` as a run of their own."""
    from_row = bisect_left(run.records, start, key=lambda record: record.run)
    to_row = len(run.records)
    if end is not None:
        to_row = bisect_left(run.records, end, key=lambda record: record.run)
    records = RecordsFrom(run.records, from_row, to_row)
    aggregates = run.aggregates[start:end]
    passes = (run.manifest.runs if end is None else end) - start
    manifest = run.manifest.amended(runs=max(1, passes), identical=0, earlier=(), same_state=False)
    part = Run(manifest=manifest, records=records, aggregates=aggregates)
    identical = read_passes(part, list({record.sample_id: None for record in records})).identical
    return part.amended(manifest=manifest.amended(identical=identical))
