"""From a row of any format to a Sample: the spellings, and the checks that rows share."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ragate.dataset._values import (
    IN_PARTS,
    READ,
    filled,
    generated_id,
    read_expected_calls,
    read_tools,
    read_turns,
    take_question,
)
from ragate.errors import DatasetError
from ragate.files.strict_json import loads
from ragate.models import Sample
from ragate.models.base import lean
from ragate.removed import gone_field
from ragate.settings import first_fault, nearest, shown
from ragate.tables.cells import documents_of, is_nothing, nested_cell, parsed_cell, reads_like_prose
from ragate.tables.names import RECORDED, SURE, part_of, plain
from ragate.version import MANUAL

# What a sample expects of an answer besides references: keywords, and what it may rest on.

_POLICY_KEYS = ("form", "allowed", "forbidden")
_FORMS = {"quote_only": "quote_only", "summarise": "summarise", "summarize": "summarise"}
_SPELT_APART = ";"


def _keywords(value: Any) -> tuple[tuple[str, ...], ...]:
    """Return each keyword with its spellings; a text is a list with semicolons."""
    if isinstance(value, str):
        value = [part for part in value.split(_SPELT_APART) if part.strip()]
    keywords = tuple(_spellings(item) for item in (value if isinstance(value, list) else [value]))
    if len(set(keywords)) != len(keywords):
        raise ValueError("a keyword stands twice")
    return keywords


def _spellings(item: Any) -> tuple[str, ...]:
    from ragate.core.text.segmentation import units  # brings the words of every language

    spellings = tuple(filled(one).strip() for one in (item if isinstance(item, list) else [item]))
    if not spellings:
        raise ValueError("a keyword without a spelling")
    for one in spellings:
        if not units(one):
            raise ValueError(f"the keyword {one!r} has no word to look for")
    return spellings


def _policy(value: Any) -> dict[str, Any]:
    """Return the fields of a `SourcePolicy`; a text is its form."""
    if not isinstance(value, Mapping):
        return {"form": _form(value)}
    if unknown := sorted(set(map(str, value)) - set(_POLICY_KEYS)):
        raise ValueError(f"unknown key {unknown[0]!r}{nearest(unknown[0], _POLICY_KEYS)}")
    fields: dict[str, Any] = {}
    if value.get("form") is not None:
        fields["form"] = _form(value["form"])
    for name in ("allowed", "forbidden"):
        if value.get(name) is not None:
            given = value[name] if isinstance(value[name], list) else [value[name]]
            fields[name] = tuple(dict.fromkeys(filled(item).strip() for item in given))
    return fields


def _form(value: Any) -> str:
    form = _FORMS.get(value) if isinstance(value, str) else None
    if form is None:
        raise ValueError(
            "must be quote_only or summarise, or an object with form, allowed, forbidden"
        )
    return form


_RETRIEVED = frozenset({"contexts", "chunks"})
_METADATA = "metadata."
_LISTS = frozenset({"relevant", "references", "answer_keywords", "source_policy", "tags"})
_NESTED = frozenset({"metadata", "messages", "tools", "expected_calls"})
MAX_BYTES = 1024**3  # read row by row
WHOLE_BYTES = 256 * 1024**2  # of a file that is read, or written anew, as a whole
MAX_SAMPLES = 500_000
_FEW = 2  # rows that may expect documents 1 and 2

Row = tuple[str, Mapping[str, Any]]  # its place, as file:line, and its fields

_READ: dict[str, Callable[[Any], Any]] = {
    **READ,
    "answer_keywords": _keywords,
    "source_policy": _policy,
    "messages": read_turns,
    "tools": read_tools,
    "expected_calls": read_expected_calls,
}


@dataclass(frozen=True)
class Entry:
    """A sample of a golden set with where it stands and what nobody has accepted yet.

    Attributes:
        place: As file:line.
        draft: The whole sample is a draft: no run asks it.
        drafted: Draft references, which are not among the sample's.
        given: The fields that its row has.
    """

    place: str
    sample: Sample
    draft: bool = False
    drafted: tuple[str, ...] = ()
    given: frozenset[str] = frozenset()


@dataclass
class Entries:
    """The rows of one file, checked one by one.

    Attributes:
        places: Where each id stands.
        own_ids: Whether rows have ids of their own; None before the first.
        counts: Whether each row expects the document of its own number, from 0 or 1 on.
    """

    path: Path
    places: dict[str, str] = field(default_factory=dict)
    own_ids: bool | None = None
    counts: bool = True

    def read(self, where: str, row: Any) -> Entry:
        """Return the entry of a row.

        Raises:
            DatasetError: it is wrong, or its id stands above already.
        """
        if len(self.places) == MAX_SAMPLES:
            raise DatasetError(f"{where}: more than {MAX_SAMPLES:,} samples", remedy=IN_PARTS)
        fields = _fields(where, row)
        self.own_ids = own_id = _own_id(where, fields, self.own_ids)
        entry = _entry(where, fields, given=frozenset(fields) - (set() if own_id else {"id"}))
        sample = entry.sample
        if sample.id in self.places:
            subject = f"id {sample.id!r}" if self.own_ids else f"the question {shown(sample.query)}"
            raise DatasetError(
                f"{where}: {subject} stands already at {self.places[sample.id]}",
                remedy="give one of the two another id, or remove it"
                if self.own_ids
                else "give every sample an id, or remove one of the two",
            )
        self.counts = self.counts and self._is_numbered(row, sample)
        self.places[sample.id] = where
        return entry

    def _is_numbered(self, row: Mapping[str, Any], sample: Sample) -> bool:
        """Whether it expects the document of its own number, and no grade says that it means it."""
        given = (value for name, value in row.items() if part_of(name) == "relevant")
        if any(isinstance(value, Mapping) for value in given):
            return False
        number = len(self.places)
        return list(sample.relevant) in ([str(number)], [str(number + 1)])


def entries_of(rows: Iterable[Row], *, path: Path) -> Iterator[Entry]:
    """Yield one entry for each row, drafts included.

    Where no row has an id, each id is made from its question; where some have one, all must.

    Raises:
        DatasetError: a row is wrong, an id stands twice, or there are no rows or too many.
    """
    entries = Entries(path)
    for where, row in rows:
        yield entries.read(where, row)
    if entries.counts and len(entries.places) > _FEW:
        raise DatasetError(
            f"{path}: each row expects the document of its own number, which counts the rows",
            remedy='write ids that are meant as {"12": 1}, an object with grades',
        )
    if not entries.places:
        remedy = f"{MANUAL}/golden-set.md shows how to write one"
        raise DatasetError(f"{path}: no samples", remedy=remedy)


def asked(entries: Iterable[Entry], *, path: Path) -> Sequence[Sample]:
    """Return the samples that a run asks: those that are no draft.

    Raises:
        DatasetError: every one is a draft.
    """
    samples = [entry.sample for entry in entries if not entry.draft]
    if not samples:
        raise DatasetError(
            f"{path}: every sample is a draft, and drafts are not asked",
            remedy="read them, then `ragate dataset accept` those that are right",
        )
    return samples


def _fields(where: str, row: Any) -> dict[str, Any]:
    if not isinstance(row, Mapping):
        raise DatasetError(f"{where}: {shown(row)}: a sample is an object with a query")
    fields: dict[str, Any] = {}
    for name, value in _without_outputs(where, row).items():
        field = part_of(name)
        if not field:
            raise _unknown(where, name)
        if value is None:
            continue
        if field in fields:
            raise DatasetError(f"{where}: {field!r} stands twice, the second time as {name!r}")
        try:
            fields[field] = _READ[field](value)
        except ValueError as error:
            raise DatasetError(f"{where}: {name} = {shown(value)}: {error}") from error
    take_question(where, fields)
    return fields


def of_cells(where: str, row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row of a table of text with its lists told apart; what says nothing is no value.

    Document ids in a cell are separated by semicolons, as are keywords. A column ``metadata.x`` is
    metadata.

    Raises:
        DatasetError: a cell that must hold JSON does not.
    """
    fields: dict[str, Any] = {}
    metadata = {}
    for name, cell in row.items():
        if not name.startswith(_METADATA):
            fields[name] = None if is_nothing(cell) else _of_cell(where, name, cell)
        elif cell is not None:
            metadata[name.removeprefix(_METADATA)] = cell
    return {**fields, "metadata": metadata} if metadata else fields


def _of_cell(where: str, name: str, cell: str) -> Any:
    field = part_of(name)
    if field in _NESTED:
        value = parsed_cell(cell)
        problem = f"{where}: {name}"
        return loads(value, where=problem, error=DatasetError) if isinstance(value, str) else value
    if field in _LISTS and cell.lstrip().startswith(("[", "{")):
        return nested_cell(cell, where=f"{where}: {name}")
    if field == "relevant" and not reads_like_prose(cell):
        return documents_of(cell)
    return cell


def _without_outputs(where: str, row: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return a row without the output that was recorded beside it.

    An ``answer`` alone could as well be meant as the right one: it counts as recorded only beside
    passages or beside a reference.

    Raises:
        DatasetError: it is not clear which of the two a field is.
    """
    recorded = {name for name in row if plain(str(name)) in RECORDED}
    if not recorded:
        return row
    given = {name for name in recorded if row[name] is not None}
    clear = any(plain(str(name)) in _RETRIEVED for name in given) or any(
        part_of(name) == "references" and value is not None for name, value in row.items()
    )
    if given and not clear:
        raise DatasetError(
            f"{where}: {min(given)!r} is a recorded output, not part of a golden set",
            remedy="the right answer goes under 'references'; a recorded one may stay where its "
            f"passages ('contexts') or a reference stand beside it ({MANUAL}/replay.md)",
        )
    return {name: value for name, value in row.items() if name not in recorded}


def _unknown(where: str, name: str) -> DatasetError:
    if gone := gone_field(name):
        return DatasetError(f"{where}: {gone}")
    known = chain.from_iterable(SURE.values())
    return DatasetError(
        f"{where}: unknown field {shown(name)}{nearest(str(name), known)}",
        remedy="data of your own goes under 'metadata'; `ragate dataset import table` reads a file "
        "with columns of its own",
    )


def _own_id(where: str, fields: dict[str, Any], own_ids: bool | None) -> bool:
    """Return whether rows have ids of their own; where they have none, make one."""
    has_id = "id" in fields
    if own_ids is not None and has_id != own_ids:
        id_here, above = ("an id", "none") if has_id else ("no id", "one")
        problem = f"{where}: this sample has {id_here}, and those above have {above}"
        raise DatasetError(problem, remedy="give every sample an id")
    if not has_id and "query" in fields:
        fields["id"] = generated_id(fields["query"], fields.get("messages", ()))
    return has_id


def _entry(where: str, fields: Mapping[str, Any], *, given: frozenset[str]) -> Entry:
    references: tuple[tuple[str, bool], ...] = fields.get("references", ())
    of_sample = {key: value for key, value in fields.items() if key not in {"draft", "references"}}
    if references:
        of_sample["references"] = tuple(text for text, draft in references if not draft)
    return Entry(
        place=where,
        sample=_sample(where, of_sample),
        draft=fields.get("draft", False),
        drafted=tuple(text for text, draft in references if draft),
        given=given,
    )


def _sample(where: str, fields: Mapping[str, Any]) -> Sample:
    if "query" not in fields:
        raise DatasetError(f"{where}: 'query' is missing")
    try:
        return lean(Sample(**fields))
    except ValidationError as error:
        raise DatasetError(f"{where}: {first_fault(error)}") from error
