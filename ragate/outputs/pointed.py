"""JSON in the user's own shape, read as the fields of a recorded output: ``[system.pointers]``."""

from collections.abc import Callable, Iterator, Mapping
from itertools import islice
from typing import Annotated, Any

from pydantic import AfterValidator

from ragate.files.pointer import PointerError, many, one, parse
from ragate.models import Frozen
from ragate.outputs.call_list import read_calls

USAGE_NAMES = {
    "prompt_tokens": ("prompt_tokens", "input_tokens", "promptTokens", "inputTokens"),
    "completion_tokens": ("completion_tokens", "output_tokens", "completionTokens", "outputTokens"),
}
IN_CI = "in CI the base branch's mapping counts"
_DEEPEST = 6
_MOST = 200  # leaves of a record that are looked at
_SHOWN = 12
Leaf = tuple[str, Any]  # pointer, value


def _pointer(value: str) -> str:
    parse(value)
    return value


Pointer = Annotated[str, AfterValidator(_pointer)]


class Pointers(Frozen):
    """Where each part is in a reply or in a recorded line, as JSON pointers (RFC 6901): `/a/b` is
    the field `b` in the field `a`, `/a/0` the first item of a list; `~1` stands for `/` and `~0`
    for `~` in a name. Beyond the standard, `*` stands for every item of a list or every value of
    an object, `/a/keys` for the names of an object, and `/a/-1` is the last item.

    What is empty is not read. With no pointer at all the reply itself must be a [recorded
    output](replay.md). A pointer that leads nowhere fails the sample.

    Attributes:
        answer: A text.
        contexts: The passages' texts: `/hits/*/text`, or a list of texts.
        ids: The passages' document ids, as many as contexts.
        scores: Their scores; one that is missing is none.
        citations: A list of passage numbers from 1, or of document ids.
        tool_calls: A list of [tool calls](tool-calls.md) in any known form.
        latency: Seconds; otherwise the time of the call is taken.
        usage: An object with `prompt_tokens` or `input_tokens`, and those of the answer.
        id_before: What ends a document's id: of `vat.md::3` and `::` the id is `vat.md`.
    """

    answer: Pointer = ""
    contexts: Pointer = ""
    ids: Pointer = ""
    scores: Pointer = ""
    citations: Pointer = ""
    tool_calls: Pointer = ""
    latency: Pointer = ""
    usage: Pointer = ""
    id_before: str = ""

    @property
    def empty(self) -> bool:
        """True where none is given: what comes is read as a recorded output."""
        return not any(self.model_dump(exclude={"id_before"}).values())


def pointed(value: Any, pointers: Pointers, *, lone: bool = False) -> dict[str, Any]:
    """Return the parts of `value` that the pointers lead to, under the names of recorded outputs.

    Args:
        lone: Where a list of passages is wanted, a text is its only item, and null is none.

    Raises:
        PointerError: a pointer leads nowhere, the lists of chunks differ in length, or the
            list of calls holds something else.
    """
    recorded: dict[str, Any] = {"chunks": _chunks(value, pointers, lone=lone)}
    for name in _PARTS:
        pointer = getattr(pointers, name)
        if pointer:
            recorded[name] = _PARTS[name](value, pointer)
    return recorded


def _chunks(value: Any, pointers: Pointers, *, lone: bool) -> list[Any]:
    columns = {
        "text": _listed(value, pointers.contexts, lone=lone) if pointers.contexts else None,
        "doc_id": _listed(value, pointers.ids, lone=lone) if pointers.ids else None,
        "score": many(value, pointers.scores, optional=True) if pointers.scores else None,
    }
    named = {name: column for name, column in columns.items() if column is not None}
    if not named:
        return []
    lengths = {len(column) for column in named.values()}
    if len(lengths) > 1:
        counts = ", ".join(f"{name} {len(column)}" for name, column in named.items())
        raise PointerError(f"the lists of chunks differ in length: {counts}")
    rows = zip(*named.values(), strict=True)
    return [_chunk(dict(zip(named, row, strict=True)), pointers.id_before) for row in rows]


def _listed(value: Any, pointer: str, *, lone: bool) -> list[Any]:
    if lone and "*" not in parse(pointer):
        single = one(value, pointer)
        if single is None:
            return []
        if isinstance(single, str):
            return [single]
    return many(value, pointer)


def _chunk(row: dict[str, Any], id_before: str) -> dict[str, Any]:
    if isinstance(row.get("doc_id"), int) and not isinstance(row["doc_id"], bool):
        row["doc_id"] = str(row["doc_id"])
    if id_before and isinstance(row.get("doc_id"), str):
        row["doc_id"] = row["doc_id"].partition(id_before)[0] or row["doc_id"]
    return row


def _usage(value: Any, pointer: str) -> dict[str, int] | None:
    """Return the counts of tokens, None where the object has none under a name that is known."""
    counts = one(value, pointer)
    if not isinstance(counts, dict):
        return None
    named = {
        ours: next((counts[name] for name in names if isinstance(counts.get(name), int)), None)
        for ours, names in USAGE_NAMES.items()
    }
    told = {ours: count for ours, count in named.items() if count is not None}
    return {"calls": 1, **told} if told else None


def _calls(value: Any, pointer: str) -> list[Any]:
    """Return the calls; none where the list is null, or left out as OpenAI does without a call."""
    *above, last = parse(pointer)
    if "*" not in above:
        holder = one(value, "".join(f"/{escaped(part)}" for part in above))
        if isinstance(holder, dict) and _without_calls(holder, last):
            return []
    try:
        return read_calls(many(value, pointer))
    except ValueError as error:
        raise PointerError(f"{pointer}: {error}") from error


def _without_calls(holder: dict[str, Any], key: str) -> bool:
    # Any other key that is missing is misspelt, or no one would ever be told.
    return holder[key] is None if key in holder else key == "tool_calls"


_PARTS: dict[str, Callable[[Any, str], Any]] = {
    "answer": one,
    "latency": one,
    "citations": many,
    "tool_calls": _calls,
    "usage": _usage,
}


def fields_of(value: Any) -> list[Leaf]:
    """Return the leaves of a record, each with its pointer; ``*`` stands for a list's items.

    A list of plain values is a leaf itself. Of a list of objects the first one is looked at.
    """
    return list(islice(_leaves(value, "", 0), _MOST))


def _leaves(value: Any, pointer: str, depth: int) -> Iterator[Leaf]:
    if isinstance(value, Mapping) and value and depth < _DEEPEST:
        for key, item in value.items():
            if str(key) != "*":  # it could not be told from the star
                yield from _leaves(item, f"{pointer}/{escaped(str(key))}", depth + 1)
    elif isinstance(value, list) and depth < _DEEPEST and any(_nested(item) for item in value):
        first = next(item for item in value if _nested(item))
        yield from _leaves(first, f"{pointer}/*", depth + 1)
    else:
        yield pointer, value


def _nested(item: Any) -> bool:
    return isinstance(item, Mapping | list) and bool(item)


def escaped(key: str) -> str:
    """Return a key as a part of a pointer."""
    return key.replace("~", "~0").replace("/", "~1")


def described(leaves: list[Leaf]) -> str:
    """Return the fields in words: the pointers of the first ones, and how many there are more."""
    if not leaves or leaves[0][0] == "":
        return "no fields"
    names = ", ".join(pointer for pointer, _ in leaves[:_SHOWN])
    return names if len(leaves) <= _SHOWN else f"{names} and {len(leaves) - _SHOWN} more"
