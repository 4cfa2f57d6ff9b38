"""Items of a sequence by key, and items that are made when they are looked at."""

import math
import sys
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Generic, TypeVar, overload

from ragate.core.conversation import told_by_question
from ragate.models import Record, Sample

S = TypeVar("S")
T = TypeVar("T")


class Lookup(Mapping[str, T]):
    """A mapping that holds the rows of its items only.

    Args:
        rows: Position in `items` by key.
    """

    def __init__(self, items: Sequence[T], rows: dict[str, int]) -> None:
        self._items = items
        self._rows = rows

    def __getitem__(self, key: str) -> T:
        return self._items[self._rows[key]]

    def __contains__(self, key: object) -> bool:
        return key in self._rows  # without reading it

    def __iter__(self) -> Iterator[str]:
        return iter(self._rows)

    def __len__(self) -> int:
        return len(self._rows)


class LazyRows(Sequence[T]):
    """A sequence whose items are read, or made, when they are looked at."""

    @abstractmethod
    def row(self, number: int) -> T:
        """Return the item at a place, counted from 0."""

    @overload
    def __getitem__(self, place: int) -> T: ...
    @overload
    def __getitem__(self, place: slice) -> list[T]: ...
    def __getitem__(self, place: int | slice) -> T | list[T]:
        numbers = range(len(self))  # counts from the end too, or raises an IndexError
        if isinstance(place, slice):
            return [self.row(number) for number in numbers[place]]
        return self.row(numbers[place])


def tells_outputs(records: Sequence[Record]) -> bool:
    """Whether the records hold what was retrieved and answered; those of a file of scores do not.

    Without it nothing shows which outputs could not change.
    """
    return bool(getattr(records, "tells_outputs", True))


class LazyItems(LazyRows[T], Generic[S, T]):
    """What `make` makes of the items of another sequence."""

    def __init__(self, items: Sequence[S], make: Callable[[S], T]) -> None:
        self._items = items
        self._make = make

    def __len__(self) -> int:
        return len(self._items)

    def __iter__(self) -> Iterator[T]:
        return map(self._make, self._items)

    def row(self, number: int) -> T:
        """Return the item, made anew each time."""
        return self._make(self._items[number])


def first_runs(records: Sequence[Record]) -> Mapping[str, Record]:
    """Return the record of the lowest run for every content of a sample."""
    lowest_runs: dict[str, int] = {}
    rows: dict[str, int] = {}
    for row, record in enumerate(records):
        content = record.content_hash
        if record.run < lowest_runs.get(content, math.inf):
            lowest_runs[content] = record.run
            rows[content] = row
    return Lookup(records, rows)


Pass = Mapping[str, Record]  # by sample id


class SampleTries(Mapping[str, tuple[Record, ...]]):
    """Every record of a sample, in the order of the passes."""

    def __init__(self, passes: Sequence[Pass]) -> None:
        self._passes = passes

    def __getitem__(self, key: str) -> tuple[Record, ...]:
        records = tuple(each[key] for each in self._passes if key in each)
        if not records:
            raise KeyError(key)
        return records

    def __contains__(self, key: object) -> bool:
        return any(key in each for each in self._passes)

    def __iter__(self) -> Iterator[str]:
        return iter(dict.fromkeys(key for each in self._passes for key in each))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def passes_of(records: Sequence[Record]) -> list[Pass]:
    """Return the records by pass and sample id, in the order of the passes' numbers."""
    rows: dict[int, dict[str, int]] = {}
    for row, record in enumerate(records):
        # The same id stands in every table: one text for all.
        rows.setdefault(record.run, {})[sys.intern(record.sample_id)] = row
    return [Lookup(records, rows[run]) for run in sorted(rows)]


def samples_by_id(samples: Sequence[Sample]) -> Mapping[str, Sample]:
    """Return the samples by id."""
    rows = {sys.intern(sample.id): row for row, sample in enumerate(samples)}
    return Lookup(samples, rows)


class NamedSamples:
    """The samples that recorded outputs name: by id, else by question."""

    def __init__(self, samples: Sequence[Sample]) -> None:
        self._samples = samples
        self._by_id = samples_by_id(samples)

    def find(self, sample_id: str, question: str) -> Sample | None:
        """Return the sample that one of the two names; None where neither does."""
        return self._by_id.get(sample_id) or self._by_question.get(_words(question))

    @cached_property
    def _by_question(self) -> Mapping[str, Sample]:
        """Made where an id is unknown: the questions of a large set take much memory."""
        rows = {
            _words(sample.query): row
            for row, sample in enumerate(self._samples)
            if told_by_question(sample)
        }
        return Lookup(self._samples, rows)


def _words(question: str) -> str:
    return " ".join(question.split())
