"""Lines that are not in ragate's own format: refused, with a guess at how they are to be read."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from ragate.errors import DatasetError
from ragate.files.pointer import PointerError, many
from ragate.outputs.pointed import IN_CI, described, fields_of
from ragate.outputs.recorded_output import misspelt, names_a_sample
from ragate.outputs.seen_reply import name_of, read_reply, single_values
from ragate.tables.containers import records
from ragate.tables.formats import preset_of
from ragate.tables.names import COMMON, plain
from ragate.version import MANUAL

_SAMPLE = ("id", "question", "query")
_SAID = ("answer", "error", "tool_calls")
# A list that is empty says something: nothing was found.
_LISTED = ("contexts", "chunks", "first_stage")
_NOTHING_SAID = "neither `answer` nor `contexts`"
_RETRIEVED = frozenset(
    {*COMMON["passages"], *COMMON["ids"], "retrieved_docs", "retrieved_documents", "passages"}
)
_FIRST = 20
_MARKS = ("::", "#")
_PARTS = ("answer", "contexts", "ids", "scores")


def refuse_foreign(path: Path, where: str, value: Any) -> None:
    """Refuse a line that names no sample, or that holds neither an answer nor contexts.

    Raises:
        DatasetError: names the line and its fields, and proposes how to read the file.
    """
    if not isinstance(value, Mapping):
        return  # its own reader says what is wrong with it
    missing = lacking(value) or _unread(value)
    if not missing:
        return
    if missing == _NOTHING_SAID and "answer" in value:
        raise DatasetError(
            f"{where}: `answer` is empty in this line, and there are no contexts",
            remedy="leave it out, and it is unscored; or say in a field `error` why there is none",
        )
    proposal = proposed_mapping(path)
    remedy = f"{MANUAL}/replay.md shows the format of a line; {IN_CI}"
    if proposal:
        remedy = (
            "if this is how they are to be read, paste it into ragate.toml, below the keys of "
            f"[system] ({IN_CI}):\n\n{proposal.toml()}\n"
        )
    fields = described(fields_of(value))
    raise DatasetError(f"{where}: {missing} in this line; it has {fields}", remedy=remedy)


def unsaid(fields: Mapping[str, Any]) -> str:
    """Return why what a system returned says nothing, "" where it says something.

    One line: what it holds, and pointers that may read it.
    """
    missing = lacking({**fields, "id": "-"})
    if not missing:
        return ""

    proposal = guess_mapping([fields]).pointers
    # The sample is known: it was asked.
    parts = {key: proposal[key] for key in proposal if key not in {"id", "question"}}
    table = ", ".join(f"{key} = {quoted(pointer)}" for key, pointer in parts.items())
    advice = f"; [system.pointers] may read it: {table}" if table else ""
    return f"{missing}, but {described(fields_of(fields))}{advice}"


def lacking(line: Mapping[str, Any]) -> str:
    """Return what a line of outputs does not say, "" where it is in our own format."""
    if misspelt(line):
        return ""  # the reader of our format says which
    said = any(line.get(name) is not None for name in _SAID)
    if not said and not any(name in line for name in _LISTED):
        return _NOTHING_SAID
    if not any(names_a_sample(line.get(name)) for name in _SAMPLE):
        return "neither `id` nor `question`"
    return ""


def _unread(line: Mapping[str, Any]) -> str:
    """Return which field holds what was retrieved, under a name that is not ours; "" for none."""
    if any(name in line for name in _LISTED):
        return ""
    told = (name for name, value in line.items() if value and plain(str(name)) in _RETRIEVED)
    return "".join(f"no `contexts` or `chunks`, but `{name}`," for name in list(told)[:1])


def proposed_mapping(path: Path) -> "ProposedMapping":
    """Return how the first lines of a file may be read; empty where nothing is seen in them."""

    rows: list[Mapping[str, Any]] = []
    try:
        for _, row in islice(records(path, error=DatasetError), _FIRST):
            rows.append(row)
    except DatasetError:
        pass  # what could be read before is enough for a guess
    return guess_mapping(rows)


@dataclass(frozen=True)
class ProposedMapping:
    """What to write below ``[system]``: a preset, or pointers by their key."""

    preset: str = ""
    pointers: Mapping[str, str] = field(default_factory=dict)

    def __bool__(self) -> bool:
        return bool(self.preset or self.pointers)

    def toml(self) -> str:
        """Return it as a person pastes it into ragate.toml."""
        if self.preset:
            return f'preset = "{self.preset}"  # a key of [system]'
        lines = [f"{key} = {quoted(pointer)}" for key, pointer in self.pointers.items()]
        if not {"id", "question"} & self.pointers.keys():
            lines.append('# question = "/…"  which field is the question, or the id of the sample?')
        return "\n".join(["[system.pointers]", *lines])


def quoted(pointer: str) -> str:
    """Return a text of TOML; what it may not hold as it is, is escaped."""
    escaped = (
        f"\\u{ord(char):04x}" if ord(char) < 0x20 or ord(char) == 0x7F else char
        for char in pointer.replace("\\", "\\\\").replace('"', '\\"')
    )
    return f'"{"".join(escaped)}"'


def guess_mapping(rows: Iterable[Mapping[str, Any]]) -> ProposedMapping:
    """Return how the first lines may be read; empty where neither answer nor contexts are seen."""
    first = list(islice(rows, _FIRST))
    tools = {preset_of(row) for row in first}
    if len(tools) == 1 and (tool := tools.pop()):
        return ProposedMapping(preset=tool)
    values = [single_values(row) for row in first]
    question = _named(values, COMMON["query"], _is_text) or _asked(values)
    sample = _named(values, COMMON["id"], names_a_sample)
    found: dict[str, Counter[str]] = {part: Counter() for part in _PARTS}
    for row, alone in zip(first, values, strict=True):
        asked = str(alone.get(question, ""))
        for part, pointer in read_reply(
            row, question=asked, known=lambda _ids: 0.0
        ).pointers.items():
            if part in found and pointer != sample:
                found[part][pointer] += 1
    parts = {part: pointers.most_common(1)[0][0] for part, pointers in found.items() if pointers}
    if not {"answer", "contexts"} & parts.keys():
        return ProposedMapping()
    pointers = {
        "id": sample,
        "question": question,
        **parts,
        "id_before": _chunk_mark(first, parts.get("ids", "")),
    }
    return ProposedMapping(pointers={key: value for key, value in pointers.items() if value})


def _named(
    rows: Sequence[Mapping[str, Any]], names: Sequence[str], fits: Callable[[Any], bool]
) -> str:
    """Return the pointer with the likeliest name of those that the most rows have."""
    counted = Counter(
        pointer
        for row in rows
        for pointer, value in row.items()
        if fits(value) and name_of(pointer) in names
    )

    def likely(pointer: str) -> tuple[int, int, int, str]:
        return -counted[pointer], names.index(name_of(pointer)), pointer.count("/"), pointer

    return min(counted, key=likely, default="")


def _asked(rows: Sequence[Mapping[str, Any]]) -> str:
    """Return the first field whose values mostly end like a question."""
    for pointer in dict.fromkeys(pointer for row in rows for pointer in row):
        values = [row[pointer] for row in rows if pointer in row]
        ending = sum(_is_text(value) and value.rstrip().endswith("?") for value in values)
        if 2 * ending > len(values):
            return pointer
    return ""


def _chunk_mark(rows: Sequence[Mapping[str, Any]], pointer: str) -> str:
    """Return what divides document and chunk in every id, "" where nothing does."""
    ids: list[Any] = []
    for row in rows if pointer else ():
        with suppress(PointerError):
            ids += many(row, pointer)
    named = bool(ids) and all(isinstance(one, str) for one in ids)
    marks = (mark for mark in _MARKS if named and all(mark in one[1:] for one in ids))
    return next(marks, "")


def _is_text(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())
