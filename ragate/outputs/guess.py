"""A guess at how a stranger's recorded outputs are to be read, proposed and never taken unasked."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from ragate.outputs.exports import preset_of
from ragate.outputs.seen_reply import name_of, read_reply, single_values
from ragate.support.pointer import PointerError, many

_FIRST_LINES = 20
_MARKS = ("::", "#")
_QUESTION = ("question", "query", "user_input", "user_query", "prompt", "input", "q")
_SAMPLE = ("id", "sample_id", "question_id", "query_id", "qid", "example_id", "case_id")
_PARTS = ("answer", "contexts", "ids", "scores")


@dataclass(frozen=True)
class ProposedMapping:
    """What to write below ``[system]``: a preset, or pointers by their key."""

    preset: str = ""
    pointers: Mapping[str, str] | None = None

    def __bool__(self) -> bool:
        return bool(self.preset or self.pointers)

    def toml(self) -> str:
        """Return it as a person pastes it into ragate.toml."""
        if self.preset:
            return f'preset = "{self.preset}"  # a key of [system]'
        pointers = self.pointers or {}
        lines = [f"{key} = {quoted(pointer)}" for key, pointer in pointers.items()]
        if not {"id", "question"} & pointers.keys():
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
    first = [row for _, row in zip(range(_FIRST_LINES), rows, strict=False)]
    tools = {preset_of(row) for row in first}
    if len(tools) == 1 and (tool := tools.pop()):
        return ProposedMapping(preset=tool)
    values = [single_values(row) for row in first]
    question = _named(values, _QUESTION, _is_text) or _asked(values)
    sample = _named(values, _SAMPLE, _is_id)
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
    ranked = [
        (-count, names.index(name_of(pointer)), pointer.count("/"), pointer)
        for pointer, count in counted.items()
    ]
    return min(ranked)[-1] if ranked else ""


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


def _is_id(value: Any) -> bool:
    return _is_text(value) or (isinstance(value, int) and not isinstance(value, bool))
