"""From a row of any format to a Sample: the spellings, and the checks that rows share."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from ragate.dataset._expectations import EXPECTATIONS
from ragate.dataset._messages import generated_id, read_turns, take_question
from ragate.dataset._recorded import REFERENCES, without_outputs
from ragate.dataset._tools import read_expected_calls, read_tools
from ragate.dataset._values import IN_PARTS, READ
from ragate.errors import DatasetError
from ragate.models import Sample
from ragate.models.base import lean
from ragate.support.settings import nearest, shown
from ragate.support.spill import Spill

MAX_BYTES = 1024**3  # read row by row
WHOLE_BYTES = 256 * 1024**2  # of a file that is read, or written anew, as a whole
MAX_SAMPLES = 500_000

Row = tuple[str, Mapping[str, Any]]  # its place, as file:line, and its fields

# Each field with the names it goes by; docs/golden-set.md lists them.
SPELLINGS: dict[str, tuple[str, ...]] = {
    "id": ("id",),
    "query": ("query", "question"),
    "relevant": ("relevant", "expected"),
    "references": REFERENCES,
    "answerable": ("answerable",),
    "tags": ("tags",),
    "must_pass": ("must_pass",),
    "metadata": ("metadata",),
    "evidence": ("evidence",),
    "messages": ("messages",),
    "tools": ("tools", "functions"),
    "expected_calls": ("expected_calls", "reference_tool_calls", "expected_tools"),
    "answer_keywords": ("answer_keywords", "keywords"),
    "source_policy": ("source_policy",),
    "arrange": ("arrange",),
    "draft": ("draft",),
}
FIELD_OF = {name: field for field, names in SPELLINGS.items() for name in names}
_OTHERS = {"messages": read_turns, "tools": read_tools, "expected_calls": read_expected_calls}
_READ = READ | EXPECTATIONS | _OTHERS


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
    """

    path: Path
    places: dict[str, str] = field(default_factory=dict)
    own_ids: bool | None = None

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
        self.places[sample.id] = where
        return entry


def entries_of(rows: Iterable[Row], *, path: Path) -> Iterator[Entry]:
    """Yield one entry for each row, drafts included.

    Where no row has an id, each id is made from its question; where some have one, all must.

    Raises:
        DatasetError: a row is wrong, an id stands twice, or there are no rows or too many.
    """
    entries = Entries(path)
    for where, row in rows:
        yield entries.read(where, row)
    if not entries.places:
        remedy = "docs/golden-set.md shows how to write one"
        raise DatasetError(f"{path}: no samples", remedy=remedy)


def asked(entries: Iterable[Entry], *, path: Path) -> Sequence[Sample]:
    """Return the samples that a run asks: those that are no draft.

    Raises:
        DatasetError: every one is a draft.
    """
    samples = Spill(Sample, (entry.sample for entry in entries if not entry.draft))
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
    for name, value in without_outputs(where, row).items():
        field = FIELD_OF.get(name)
        if field is None:
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


def _unknown(where: str, name: str) -> DatasetError:
    return DatasetError(
        f"{where}: unknown field {shown(name)}{nearest(name, FIELD_OF)}",
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
        detail = error.errors(include_url=False)[0]
        name = ".".join(map(str, detail["loc"]))
        problem = f"{where}: {name} = {shown(detail['input'])}: {detail['msg']}"
        raise DatasetError(problem) from error
