"""Lines that are not in ragate's own format: refused, with a proposal how to read them."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragate.errors import DatasetError
from ragate.outputs.fields import described, fields_of
from ragate.outputs.mapping import IN_CI
from ragate.outputs.recorded_output import misspelt
from ragate.support.records import parsed_cell, records
from ragate.version import MANUAL

if TYPE_CHECKING:
    from ragate.outputs.guess import ProposedMapping

_SAMPLE = ("id", "question", "query")
_SAID = ("answer", "error", "tool_calls")
# A list that is empty says something: nothing was found.
_LISTED = ("contexts", "chunks", "first_stage")
_FIRST = 20


def refuse_foreign(path: Path, where: str, value: Any) -> None:
    """Refuse a line that names no sample, or that holds neither an answer nor contexts.

    Raises:
        DatasetError: names the line and its fields, and proposes how to read the file.
    """
    if not isinstance(value, Mapping):
        return  # its own reader says what is wrong with it
    lacking = _lacking(value)
    if not lacking:
        return
    proposal = proposed_mapping(path)
    remedy = f"{MANUAL}/replay.md shows the format of a line; {IN_CI}"
    if proposal:
        remedy = (
            "if this is how they are to be read, paste it into ragate.toml, below the keys of "
            f"[system] ({IN_CI}):\n\n{proposal.toml()}\n"
        )
    fields = described(fields_of(value))
    raise DatasetError(f"{where}: {lacking} in this line; it has {fields}", remedy=remedy)


def unsaid(fields: Mapping[str, Any]) -> str:
    """Return why what a system returned says nothing, "" where it says something.

    One line: what it holds, and pointers that may read it.
    """
    lacking = _lacking({**fields, "id": "-"})
    if not lacking:
        return ""
    from ragate.outputs.guess import guess_mapping, quoted

    proposal = guess_mapping([fields]).pointers or {}
    # The sample is known: it was asked.
    parts = {key: proposal[key] for key in proposal if key not in {"id", "question"}}
    table = ", ".join(f"{key} = {quoted(pointer)}" for key, pointer in parts.items())
    advice = f"; [system.pointers] may read it: {table}" if table else ""
    return f"{lacking}, but {described(fields_of(fields))}{advice}"


def _lacking(line: Mapping[str, Any]) -> str:
    if misspelt(line):
        return ""  # the reader of our format says which
    said = any(line.get(name) is not None for name in _SAID)
    if not said and not any(name in line for name in _LISTED):
        return "neither `answer` nor `contexts`"
    if not any(line.get(name) for name in _SAMPLE):
        return "neither `id` nor `question`"
    return ""


def proposed_mapping(path: Path) -> "ProposedMapping":
    """Return how the first lines of a file may be read; empty where nothing is seen in them."""
    from ragate.outputs.guess import guess_mapping

    rows: list[Mapping[str, Any]] = []
    try:
        for _, row in records(path, error=DatasetError):
            rows.append({name: parsed_cell(value) for name, value in row.items()})
            if len(rows) == _FIRST:
                break
    except DatasetError:
        pass  # what could be read before is enough for a guess
    return guess_mapping(rows)
