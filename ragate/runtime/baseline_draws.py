"""The baseline's answers by model request: what was asked there is not asked again."""

from __future__ import annotations

from array import array
from collections.abc import Iterator, Mapping, Sequence

from ragate.models import Record, Run


class _Draws(Mapping[str, tuple[str, ...]]):
    """Answers by model request, each read when it is wanted."""

    def __init__(self, records: Sequence[Record], rows: Mapping[str, Sequence[int]]) -> None:
        self._records = records
        self._rows = rows

    def __getitem__(self, key: str) -> tuple[str, ...]:
        return tuple(self._records[row].output.answer or "" for row in self._rows[key])

    def __contains__(self, key: object) -> bool:
        return key in self._rows

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


def baseline_draws(baseline: Run | None) -> Mapping[str, tuple[str, ...]]:
    """Return the baseline's answers by model request, in the order of its passes."""
    records = baseline.records if baseline else ()
    rows: dict[str, array[int]] = {}
    for row, record in enumerate(records):
        output = record.output
        if output.request_hash and output.answer and output.error is None:
            rows.setdefault(output.request_hash, array("L")).append(row)
    return _Draws(records, rows)
