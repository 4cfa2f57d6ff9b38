"""Files of recorded outputs as the replay system reads them: in our format, or in another."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from ragate.errors import DatasetError
from ragate.outputs.foreign_lines import lacking, refuse_foreign
from ragate.outputs.mapping import RecordMapping, mapped_outputs
from ragate.outputs.outputs_file import (
    OutputLocation,
    OutputsHeader,
    read_header,
    read_locations,
    validated_output,
    written_by_ragate,
)
from ragate.outputs.recorded_output import RecordedOutput, own_name
from ragate.tables.cells import parsed_cell
from ragate.tables.containers import LINES, open_container, rows_of
from ragate.tables.formats import PRESETS, preset_of
from ragate.tables.reading import first_record

_NO_VALUE = frozenset({"nan", "<na>", "nat"})  # as pandas writes them into a cell


KeptOutput = OutputLocation | RecordedOutput  # where it stands, or what was mapped as a copy


def read_recorded(
    path: Path, mapping: RecordMapping
) -> Iterator[tuple[str, KeptOutput, RecordedOutput]]:
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
    return read_header(path), ((where, output) for where, _, output in read_recorded(path, mapping))


def _of_other_shape(
    path: Path, mapping: RecordMapping
) -> Iterator[tuple[str, RecordedOutput]] | None:
    """Return the outputs of a table, or of a file that is mapped; None of lines of our own."""
    if written_by_ragate(path):
        return None
    if not mapping.own_format:
        return mapped_outputs(path, mapping)
    if tool := _tool_of(path):
        return mapped_outputs(path, RecordMapping(preset=tool))
    return None if path.suffix.lower() in LINES else _table(path)


def _tool_of(path: Path) -> str:
    """Return the tool whose export a file is, "" where it holds outputs in our own format."""
    first = first_record(path)
    tool = preset_of(first) if lacking(first) else ""
    return tool if tool in PRESETS else ""


def _in_cell(cell: str | None) -> Any:
    return None if cell is None or cell.lower() in _NO_VALUE else parsed_cell(cell)


def _table(path: Path) -> Iterator[tuple[str, RecordedOutput]]:
    """Yield the outputs of a JSON list or a table with our own names of fields."""
    count = 0
    opened = open_container(path)
    for where, row in rows_of(opened, error=DatasetError):
        count += 1
        fields = row
        if isinstance(row, Mapping):
            known = {name: own_name(name) for name in row}
            fields = {
                known[name]: _in_cell(value) if opened.of_cells else value
                for name, value in row.items()
            }
        refuse_foreign(path, where, fields)
        yield where, validated_output(where, fields)
    if not count:
        raise DatasetError(f"{path}: no recorded output in it")
