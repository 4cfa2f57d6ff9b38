"""Recorded outputs in somebody else's shape: read by pointers, or as a tool's export."""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from pydantic import ValidationError, model_validator

from ragate.errors import DatasetError
from ragate.files.pointer import PointerError, one
from ragate.models import Frozen
from ragate.outputs.outputs_file import validated_output
from ragate.outputs.pointed import IN_CI, Pointer, Pointers, described, fields_of, pointed
from ragate.outputs.recorded_output import RecordedOutput, names_a_sample
from ragate.settings import first_fault, nearest, read_settings
from ragate.tables.containers import records

if TYPE_CHECKING:
    from ragate.tables.traced import Exchange

_NAMED = 5


class LinePointers(Pointers):
    """JSON pointers into one line of recorded outputs.

    Attributes:
        records: The list of a `.json` file, where it is not the file itself.
        id: The sample's id; with `question` empty too: the line's own `id` or `question`.
        question: The sample's question.
        run: Number of the pass, from 0.
        error: Where a failure is told; a line that has one needs nothing else.
    """

    records: Pointer = ""
    id: Pointer = ""
    question: Pointer = ""
    run: Pointer = ""
    error: Pointer = ""


class RecordMapping(Frozen):
    """How recorded outputs are read; neither `preset` nor `pointers`: in ragate's own format."""

    preset: str = ""
    pointers: LinePointers = LinePointers()

    @model_validator(mode="after")
    def _one_way(self) -> Self:
        if self.preset:
            from ragate.tables.formats import PRESETS

            if self.preset not in PRESETS:
                raise ValueError(f"unknown preset {self.preset!r}{nearest(self.preset, PRESETS)}")
        if self.preset and not self.pointers.empty:
            raise ValueError("give preset or pointers, not both")
        pointers = self.pointers
        if not pointers.empty and not (pointers.answer or pointers.contexts or pointers.ids):
            raise ValueError("pointers need answer, contexts or ids: what is to be measured")
        return self

    @property
    def own_format(self) -> bool:
        """True where nothing is mapped."""
        return not self.preset and self.pointers.empty


MAPPING_KEYS = tuple(RecordMapping.model_fields)


def mapping_of(settings: Mapping[str, Any]) -> RecordMapping:
    """Return how a ``[system]`` with ``use = "replay"`` reads its files.

    Raises:
        ConfigError: a key is wrong.
    """
    table = {key: settings[key] for key in MAPPING_KEYS if key in settings}
    return read_settings(RecordMapping, table, where="[system]")


def mapped_outputs(path: Path, mapping: RecordMapping) -> Iterator[tuple[str, RecordedOutput]]:
    """Yield the outputs of a file, each with its place.

    With pointers, every line has to fit: what reads half of a file measures the other half as
    absent. All are looked at before the error, so that it can say how many do not.

    Raises:
        DatasetError: a line does not fit, or says nothing; names the place.
    """
    if mapping.preset:
        from ragate.tables.reading import read_export

        for exchange in read_export(mapping.preset, path):
            yield exchange.place, _of_exchange(exchange)
        return
    first, misfits, count = "", list[str](), 0
    for where, row in records(path, error=DatasetError, inside=mapping.pointers.records):
        count += 1
        try:
            output = _of_line(row, mapping.pointers)
        except PointerError as error:
            if not misfits:
                shape = described(fields_of(row))
                first = f"{where}: [system.pointers] {error}; this line has {shape}"
            misfits.append(where)
            continue
        if not misfits:
            yield where, output
    if misfits:
        raise _misfitting(first, misfits, count)


def _misfitting(first: str, misfits: list[str], count: int) -> DatasetError:
    """Return that lines do not fit: the first in full, and how many others there are."""
    others = ", ".join(place.rpartition(":")[2].strip() for place in misfits[1:_NAMED])
    more = f"; the next: {others}" if others else ""
    return DatasetError(
        f"{first} ({len(misfits)} of {count} lines do not fit{more})",
        remedy="correct [system.pointers], or write every line in one shape; where your system "
        f"failed, let `error` point to its message; {IN_CI}",
    )


def _of_line(row: Mapping[str, Any], pointers: LinePointers) -> RecordedOutput:
    """Return a line as an output.

    Raises:
        PointerError: a pointer leads nowhere, or to what it cannot stand for.
    """
    fields: dict[str, Any] = {"id": _sample(row, pointers.id, "id")}
    fields["question"] = _sample(row, pointers.question, "question", "query")
    if not pointers.id and not pointers.question and fields == {"id": "", "question": ""}:
        raise PointerError("neither `id` nor `question` says which sample this is")
    if pointers.run:
        fields["run"] = one(row, pointers.run)
    failure = None
    if pointers.error:
        with suppress(PointerError):
            failure = one(row, pointers.error)
    if failure:
        fields["error"] = failure if isinstance(failure, str) else str(failure)
    else:
        fields |= pointed(row, pointers, lone=True)
        if fields.get("answer") is None and not (pointers.contexts or pointers.ids):
            raise PointerError(f"{pointers.answer} leads to null, and nothing else is read")
    return _validated({name: value for name, value in fields.items() if value is not None})


def _sample(row: Mapping[str, Any], pointer: str, *names: str) -> Any:
    if not pointer:
        return next((row[name] for name in names if names_a_sample(row.get(name))), "")
    value = one(row, pointer)
    if not names_a_sample(value):
        raise PointerError(f"{names[0]} = {pointer!r} leads to what names no sample")
    return value


def _validated(fields: Mapping[str, Any]) -> RecordedOutput:
    try:
        return RecordedOutput.model_validate(fields)
    except ValidationError as error:
        raise PointerError(first_fault(error)) from error


def _of_exchange(exchange: "Exchange") -> RecordedOutput:
    if not exchange.error and exchange.answer is None and exchange.passages is None:
        raise DatasetError(
            f"{exchange.place}: neither an answer nor contexts were recorded",
            remedy="leave out what was not answered: it is then unscored, and never wrong",
        )
    fields: dict[str, Any] = {
        "question": exchange.query,
        "answer": exchange.answer,
        "latency": exchange.latency_s,
        "error": exchange.error or None,
        "chunks": [
            {"doc_id": passage.doc_id, "text": passage.text, "score": passage.score}
            for passage in exchange.passages or ()
        ],
    }
    return validated_output(exchange.place, fields)
