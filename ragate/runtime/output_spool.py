"""Outputs of one pass, kept in a file: the texts of many samples would fill the memory."""

import sys
from collections.abc import Iterator, MutableMapping

from ragate.models import SystemOutput
from ragate.models.base import lean
from ragate.models.output import bare_chunk
from ragate.support.spill import Scratch

Outputs = MutableMapping[str, SystemOutput]


class Spool(Outputs):
    """Outputs by sample id, read anew whenever one is wanted; the file goes with the object."""

    def __init__(self) -> None:
        self._places: dict[str, int] = {}
        self._scratch = Scratch()

    def __setitem__(self, key: str, output: SystemOutput) -> None:
        content = output.model_dump_json(exclude_defaults=True)
        # The same id stands in every table of a run: one text for all.
        self._places[sys.intern(key)] = self._scratch.put(content.encode())

    def __getitem__(self, key: str) -> SystemOutput:
        return SystemOutput.model_validate_json(self._scratch.get(self._places[key]))

    def __contains__(self, key: object) -> bool:
        return key in self._places  # without reading it

    def __delitem__(self, key: str) -> None:
        del self._places[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._places)

    def __len__(self) -> int:
        return len(self._places)


def slim(output: SystemOutput) -> SystemOutput:
    """Return the output with document ids in place of chunks."""
    return lean(output, chunks=tuple(bare_chunk(chunk.doc_id) for chunk in output.chunks))
