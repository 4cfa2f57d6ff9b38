"""Sequences that a large run would fill the memory with: the rest of them is kept in a file."""

import operator
import os
import tempfile
import threading
from array import array
from collections.abc import Iterable, Iterator, Sequence
from typing import Generic, TypeVar, overload

from pydantic import BaseModel

from ragate.errors import StorageError

M = TypeVar("M", bound=BaseModel)
IN_MEMORY = 4 * 1024 * 1024  # bytes; less than this needs no file
KEPT = 25_000
_LENGTH = 8  # bytes of the number that stands before each content


class Scratch:
    """Contents in a file without a name, each found again by its place; it goes with the object."""

    def __init__(self) -> None:
        self._file = tempfile.SpooledTemporaryFile(max_size=IN_MEMORY)  # noqa: SIM115 - see __del__
        self._lock = threading.Lock()  # a place is found and read in two steps

    def __del__(self) -> None:
        self._file.close()

    def put(self, content: bytes) -> int:
        """Keep `content` and return its place.

        Raises:
            StorageError: the temporary folder is full.
        """
        try:
            with self._lock:
                offset = self._file.seek(0, os.SEEK_END)
                self._file.write(len(content).to_bytes(_LENGTH))
                self._file.write(content)
        except OSError as error:
            raise _cannot_keep(error) from error
        return offset

    def get(self, offset: int) -> bytes:
        """Return what was put at `offset`; raises as `put`."""
        try:
            with self._lock:
                self._file.seek(offset)
                return self._file.read(int.from_bytes(self._file.read(_LENGTH)))
        except OSError as error:
            raise _cannot_keep(error) from error


class Spill(Sequence[M], Generic[M]):
    """Models of one kind: the first `kept` in memory, the others in a file, read when looked at.

    A gate of common size stays in memory; one of a hundred thousand samples takes little more. What
    comes from the file is another object, equal to what was put there.
    """

    def __init__(self, kind: type[M], models: Iterable[M] = (), *, kept: int | None = None) -> None:
        self._read_json = kind.__pydantic_validator__.validate_json
        self._most = KEPT if kept is None else kept
        self._first: list[M] = []
        self._places = array("Q")
        self._scratch = Scratch()
        self._last: tuple[int, M] | None = None
        self.extend(models)

    def append(self, model: M) -> None:
        if len(self._first) < self._most:
            self._first.append(model)
        else:
            content = model.model_dump_json(exclude_defaults=True)
            self._places.append(self._scratch.put(content.encode()))

    def extend(self, models: Iterable[M]) -> None:
        for model in models:
            self.append(model)

    def __len__(self) -> int:
        return len(self._first) + len(self._places)

    def __iter__(self) -> Iterator[M]:
        yield from self._first
        yield from map(self._read, self._places)

    @overload
    def __getitem__(self, number: int) -> M: ...
    @overload
    def __getitem__(self, number: slice) -> list[M]: ...
    def __getitem__(self, number: int | slice) -> M | list[M]:
        if isinstance(number, slice):
            return [self[row] for row in range(*number.indices(len(self)))]
        row = range(len(self))[number]  # from the end too, or an IndexError
        in_memory = len(self._first)
        return self._first[row] if row < in_memory else self._read(self._places[row - in_memory])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Sequence):
            return NotImplemented
        return len(self) == len(other) and all(map(operator.eq, self, other))

    __hash__ = None  # type: ignore[assignment]  # it can grow

    def _read(self, offset: int) -> M:
        last = self._last  # a baseline beside itself asks twice for each
        if last is None or last[0] != offset:
            last = offset, self._read_json(self._scratch.get(offset))
            self._last = last
        return last[1]


def _cannot_keep(error: OSError) -> StorageError:
    return StorageError(
        f"what does not fit into memory cannot be kept in the temporary folder: {error.strerror}",
        remedy="free some space, or set TMPDIR to a folder with more",
    )
