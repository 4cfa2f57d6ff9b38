"""Files of recorded outputs as the replay system reads them: in our format, or in another."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ragate.errors import DatasetError
from ragate.outputs.foreign_lines import refuse_foreign
from ragate.outputs.mapping import RecordMapping, mapped_outputs
from ragate.outputs.outputs_file import (
    OutputLocation,
    OutputLocations,
    OutputsHeader,
    read_locations,
    read_outputs,
    validated_output,
    written_by_ragate,
)
from ragate.outputs.recorded_output import RecordedOutput
from ragate.support.records import parsed_cell, records
from ragate.support.spill import Spill


@dataclass(frozen=True)
class CopiedOutput:
    """An output that its file holds in another shape."""

    copies: Spill[RecordedOutput]
    number: int

    def read(self) -> RecordedOutput:
        """Return the output."""
        return self.copies[self.number]


class KeptOutputs:
    """Many outputs in little memory, each under the number that it got.

    One in our own format stays in its file; what was mapped is kept as a copy.
    """

    def __init__(self) -> None:
        self._places = OutputLocations()
        self._copies = Spill(RecordedOutput)

    def add(self, kept: OutputLocation | RecordedOutput) -> int:
        """Keep a place or an output and return its number; later ones of a kind have larger ones.

        Numbers of places are even, those of copies odd.
        """
        if isinstance(kept, OutputLocation):
            return 2 * self._places.add(kept)
        self._copies.append(kept)
        return 2 * len(self._copies) - 1

    def get(self, number: int) -> OutputLocation | CopiedOutput:
        at, is_copy = divmod(number, 2)
        return CopiedOutput(self._copies, at) if is_copy else self._places.get(at)


def read_recorded(
    path: Path, mapping: RecordMapping
) -> Iterator[tuple[str, OutputLocation | RecordedOutput, RecordedOutput]]:
    """Yield the outputs of a file, each with its place and with what to keep of it.

    A file that ragate wrote is read as such, whatever the mapping.

    Raises:
        DatasetError: names the file, the line and what is wrong with it.
    """
    if (outputs := _of_other_shape(path, mapping)) is not None:
        for where, output in outputs:
            yield where, output, output
        return
    for location, output in read_locations(path):
        yield f"{path}:{location.number}", location, output


def read_with_header(
    path: Path, mapping: RecordMapping
) -> tuple[OutputsHeader | None, Iterator[tuple[str, RecordedOutput]]]:
    """Return the header, if there is one, and the outputs with their places; as `read_recorded`."""
    if (outputs := _of_other_shape(path, mapping)) is not None:
        return None, outputs
    header, lines = read_outputs(path)
    return header, ((f"{path}:{number}", output) for number, output in lines)


def _of_other_shape(
    path: Path, mapping: RecordMapping
) -> Iterator[tuple[str, RecordedOutput]] | None:
    """Return the outputs of a table, or of a file that is mapped; None of lines of our own."""
    if mapping.own_format:
        return _table(path) if path.suffix.lower() in {".json", ".csv"} else None
    return None if written_by_ragate(path) else mapped_outputs(path, mapping)


def _table(path: Path) -> Iterator[tuple[str, RecordedOutput]]:
    """Yield the outputs of a JSON list or a table with our own names of fields."""
    count = 0
    for where, row in records(path, error=DatasetError):
        count += 1
        fields = dict(row)
        if path.suffix.lower() == ".csv":
            fields = {name: parsed_cell(cell) for name, cell in row.items()}
        refuse_foreign(path, where, fields)
        yield where, validated_output(where, fields)
    if not count:
        raise DatasetError(f"{path}: no recorded output in it")
