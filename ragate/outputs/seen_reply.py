"""Where the parts of a reply stand, or of a line that somebody recorded, found in it itself.

What counts is what the values are: a field whose values are documents that are known is the
document's id, whatever it is called. Names decide only where values do not.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ragate.outputs.pointed import USAGE_NAMES, escaped
from ragate.tables.traced import (
    ANSWER_NAMES,
    CHUNK_NAMES,
    ID_NAMES,
    SOURCE_NAMES,
    TEXT_NAMES,
    speaker,
)

KnownShare = Callable[[Sequence[str]], float]  # of the values, how many are documents
Lists = Sequence[tuple[str, list[Any]]]  # with their pointers
_ANSWERS = (*ANSWER_NAMES, "summary", "data", "answers", "body")
_TEXTS = (*TEXT_NAMES, "excerpt", "quote", "context")
_IDS = (*ID_NAMES, *SOURCE_NAMES, "slug", *CHUNK_NAMES, "name", "page")
_SCORES = ("score", "similar", "relevance")
_LISTS = (
    *("context", "source", "doc", "chunk", "passage", "hit", "result", "match", "node", "retriev"),
    "data_point",
)
_LISTED_IDS = ("ids", "source", "url", "file", "path")
_NO_ANSWER = (
    *("expected", "reference", "ground", "gold", "truth", "metadata", "error", "question"),
)
_USAGE = frozenset(name for names in USAGE_NAMES.values() for name in names)
_DEEPEST, _MOST_ITEMS, _MOST_PARTS = 8, 200, 6
LIKELY = 0.5  # of a column's values are known: it is the column of ids
_ID = re.compile(r"[0-9]+|[0-9a-f-]{8,}|.*\w\.[a-z]+")  # of a document, and no name of a field
_PROSE = 40  # characters of a passage, where its name does not say that it is one


@dataclass(frozen=True)
class ReadReply:
    """What was taken from a reply.

    Attributes:
        pointers: By part, for ``[system.pointers]``; none where the reply is a text.
        known: Share of its documents that are known, 0 where none is, or none was found.
    """

    pointers: Mapping[str, str] = field(default_factory=dict)
    known: float = 0.0


@dataclass(frozen=True)
class _Column:
    """One field of all items of a list."""

    pointer: str
    values: tuple[Any, ...]

    @property
    def name(self) -> str:
        return self.pointer.rpartition("/")[2]

    @property
    def names(self) -> list[str]:
        """Its values as ids, [] where one cannot be."""
        plain = all(
            isinstance(v, str | int) and not isinstance(v, bool) and v != "" for v in self.values
        )
        return [str(value) for value in self.values] if plain else []

    @property
    def length(self) -> float:
        texts = [value for value in self.values if isinstance(value, str)]
        return sum(map(len, texts)) / len(self.values) if len(texts) == len(self.values) else 0.0


def read_reply(reply: Any, *, question: str, known: KnownShare) -> ReadReply:
    """Return where answer, passages, their documents, scores, citations and usage stand.

    Args:
        reply: JSON as it came; of a stream the list of its events.
        question: What was asked: a field that repeats it is no answer.
        known: Share of some ids that are documents of the project.
    """
    if isinstance(reply, str):
        return ReadReply()
    leaves = single_values(reply)
    lists = [(pointer, value) for pointer, value in _walk(reply) if isinstance(value, list)]
    passages, share, holder = _passages(lists, known)
    texts = {
        pointer: value
        for pointer, value in leaves.items()
        if isinstance(value, str)
        and value.strip() not in {"", question.strip()}
        and pointer not in passages.values()
        and not _is_below(pointer, holder)
        and not any(word in pointer.lower() for word in _NO_ANSWER)
    }
    pointers = {
        "answer": _answer(texts),
        **passages,
        "citations": _citations(lists, besides={*passages.values()}),
        "usage": next(
            (one.rpartition("/")[0] for one in leaves if one.rpartition("/")[2] in _USAGE), ""
        ),
    }
    return ReadReply({part: pointer for part, pointer in pointers.items() if pointer}, share)


def read_events(events: Sequence[Any], *, question: str, known: KnownShare) -> ReadReply:
    """Return the same of a stream, whose answer comes in pieces: the field of the most events."""
    objects = [event for event in events if isinstance(event, Mapping)]
    counted: Counter[str] = Counter()
    for event in objects:
        counted.update(
            pointer
            for pointer, value in single_values(event).items()
            if isinstance(value, str)
            and (_rank(pointer) or "delta" in pointer or "token" in pointer)
        )
    whole = [read_reply(event, question=question, known=known) for event in objects]
    best = max(whole, key=lambda one: (one.known, "ids" in one.pointers), default=ReadReply())
    pointers = {part: where for part, where in best.pointers.items() if part != "answer"}
    if counted:
        pointers = {"answer": counted.most_common(1)[0][0], **pointers}
    return ReadReply(pointers, best.known)


def _answer(texts: Mapping[str, str]) -> str:
    named = sorted((rank, pointer) for pointer in texts if (rank := _rank(pointer)))
    if named:
        return named[0][1]
    prose = {
        pointer: len(text)
        for pointer, text in texts.items()
        if " " in text.strip() or not name_of(pointer)  # a part of a tuple has no name
    }
    return max(prose, key=lambda pointer: prose[pointer], default="")


def _rank(pointer: str) -> tuple[int, int, int] | None:
    """Return how likely a field is the answer by the names on its way, None where none says so."""
    names = [part.lower() for part in pointer.split("/")[1:] if not part.lstrip("-").isdigit()]
    if not names or names[-1] not in _ANSWERS:
        return None
    chat = "messages" in names  # beside a field of its own it is the way there
    told = min(_ANSWERS.index(name) for name in names if name in _ANSWERS)
    return (int(chat), told, len(names))


def _passages(lists: Lists, known: KnownShare) -> tuple[dict[str, str], float, str]:
    """Return the likeliest list of passages: what is known of its documents, then its texts.

    Returns:
        Its pointers, the share of its documents that is known, and where the list is.
    """
    found = []
    for pointer, items in lists:
        parts, share, length = _of_list(pointer, items, known)
        if parts:
            cited = "cit" in name_of(pointer)
            rank = (share < LIKELY, cited, "contexts" not in parts, -length, pointer.count("/"))
            found.append((rank, pointer, parts, share))
    if not found:
        return {}, 0.0, ""
    _, holder, parts, share = min(found, key=lambda row: row[:2])
    if [*parts.values()] == [holder]:
        parts |= _beside(holder, lists)
    return parts, share, holder


def _beside(holder: str, lists: Lists) -> dict[str, str]:
    """Return the parts of two lists of one length, of texts and of their documents; else none."""
    items = dict(lists)[holder]
    for pointer, others in lists:
        texts = all(isinstance(item, str) for item in [*items, *others])
        if pointer != holder and len(others) == len(items) and texts:
            named = [any(word in name_of(one) for word in _LISTED_IDS) for one in (holder, pointer)]
            if named == [False, True]:
                return {"contexts": holder, "ids": pointer}
            if named == [True, False] and any(word in name_of(pointer) for word in _LISTS):
                return {"contexts": pointer, "ids": holder}
    return {}


def _of_list(
    pointer: str, items: list[Any], known: KnownShare
) -> tuple[dict[str, str], float, int]:
    columns = _columns(pointer, items)
    named = any(word in name_of(pointer) for word in _LISTS)
    shares = {column.pointer: known(column.names) if column.names else 0.0 for column in columns}
    best = max(columns, key=lambda column: shares[column.pointer], default=None)
    ids = best if best is not None and shares[best.pointer] >= LIKELY else None
    if not (named or ids) or all(isinstance(item, Mapping) and speaker(item) for item in items):
        return {}, 0.0, 0
    texts = [column for column in columns if column.length and column is not ids]
    text = _by_name(texts, _TEXTS) or max(
        (column for column in texts if column.length >= _PROSE),
        key=lambda column: column.length,
        default=None,
    )
    if ids is None:
        rest = [column for column in columns if column.names and column is not text]
        ids = _by_name(rest, _IDS) or next(
            (column for column in rest if column.name.lower().endswith("id")), None
        )
        if ids is None and len(columns) == 1 and columns[0].pointer == pointer and text is None:
            ids = columns[0]  # a list of names, short ones
    score = next(
        (column for column in columns if any(word in column.name.lower() for word in _SCORES)), None
    )
    chosen = {"contexts": text, "ids": ids, "scores": score}
    parts = {part: column.pointer for part, column in chosen.items() if column is not None}
    share = shares[ids.pointer] if ids is not None else 0.0
    return (parts if text or ids else {}), share, len(items)


def _by_name(columns: Sequence[_Column], names: Sequence[str]) -> _Column | None:
    named = (column for column in columns if column.name in names)
    return min(named, key=lambda each: (names.index(each.name), each.pointer), default=None)


def _columns(pointer: str, items: list[Any]) -> list[_Column]:
    """Return the fields that every item of a list has; of plain items the list itself."""
    if all(isinstance(item, str | int) and not isinstance(item, bool) for item in items):
        return [_Column(pointer, tuple(items))]
    if not all(isinstance(item, Mapping) for item in items):
        return []
    rows = [dict(_fields(item)) for item in items]
    shared = [name for name in rows[0] if all(name in row for row in rows)]
    return [_Column(f"{pointer}/*{name}", tuple(row[name] for row in rows)) for name in shared]


def _fields(value: Mapping[Any, Any], pointer: str = "") -> Iterator[tuple[str, Any]]:
    """Yield the fields of an item, those of objects within it too, and none of a list's."""
    for key, item in value.items():
        inner = f"{pointer}/{escaped(str(key))}"
        if isinstance(item, Mapping) and inner.count("/") <= _DEEPEST:
            yield from _fields(item, inner)
        elif not isinstance(item, list | Mapping):
            yield inner, item


def _citations(lists: Lists, *, besides: set[str]) -> str:
    for pointer, items in lists:
        if "cit" in name_of(pointer):
            columns = [c for c in _columns(pointer, items) if c.names and c.pointer not in besides]
            column = columns[0] if len(columns) == 1 else _by_name(columns, _IDS)
            if column is not None:
                return column.pointer
    return ""


def single_values(value: Any) -> dict[str, Any]:
    """Return the values that stand alone, by pointer."""
    return {pointer: found for pointer, found in _walk(value) if not isinstance(found, list)}


def _walk(value: Any, pointer: str = "", depth: int = 0) -> Iterator[tuple[str, Any]]:
    """Yield values that stand alone, and lists with their items.

    Of a list its only item stands alone, of a chat the last message. Lists within the items of a
    list are one.
    """
    if depth > _DEEPEST:
        return
    if isinstance(value, Mapping) and _is_keyed(value):
        yield pointer, [*value.values()][:_MOST_ITEMS]
    elif isinstance(value, Mapping) or _is_tuple(value):
        pairs = value.items() if isinstance(value, Mapping) else enumerate(value)
        for key, item in pairs:
            if key != "*":  # it could not be told from the star
                yield from _walk(item, f"{pointer}/{escaped(str(key))}", depth + 1)
    elif not isinstance(value, list):
        yield pointer, value
    elif value:
        yield pointer, value[:_MOST_ITEMS]
        yield from _within(value[:_MOST_ITEMS], pointer, depth)
        if (at := _spoken(value)) is not None:
            inside = _walk(value[at], f"{pointer}/{at}", depth + 1)
            yield from (leaf for leaf in inside if not isinstance(leaf[1], list))


def _within(items: list[Any], pointer: str, depth: int) -> Iterator[tuple[str, list[Any]]]:
    inner: dict[str, list[Any]] = {}
    for item in items:
        for below, found in _walk(item, "", depth + 1):
            if isinstance(found, list) and below:
                inner.setdefault(below, []).extend(found)
    yield from ((f"{pointer}/*{below}", found) for below, found in inner.items())


def _spoken(items: list[Any]) -> int | None:
    """Return which item of a list stands alone, None where none does."""
    chat = all(isinstance(item, Mapping) and speaker(item) for item in items)
    if chat:
        return -1 if speaker(items[-1]) != "user" else None
    return 0 if len(items) == 1 else None


def _is_keyed(value: Mapping[Any, Any]) -> bool:
    """Whether an object is a list of items, each under its id: ``{"17": {"text": …}, …}``."""
    rows = [*value.values()]
    alike = all(isinstance(row, Mapping) and row.keys() == rows[0].keys() for row in rows)
    return bool(rows) and alike and all(_ID.fullmatch(str(key)) for key in value)


def _is_tuple(value: Any) -> bool:
    """Whether a list holds different kinds of things, as ``return answer, documents`` does."""
    kinds: dict[type, int] = {list: 1, dict: 2, str: 3}
    if not isinstance(value, list) or not 1 < len(value) <= _MOST_PARTS:
        return False
    return len({kinds.get(type(item), 0) for item in value}) > 1


def _is_below(pointer: str, holder: str) -> bool:
    """Whether a value stands within a list, which may be reached by a star or by a number."""
    parts, above = pointer.split("/"), holder.split("/")
    pairs = zip(parts, above, strict=False)
    same = all(part == over or (over == "*" and part.isdigit()) for part, over in pairs)
    return bool(holder) and len(parts) > len(above) and same


def name_of(pointer: str) -> str:
    """Return the last name of a pointer in small letters, "" where it has numbers only."""
    parts = [part for part in pointer.split("/") if part != "*" and not part.lstrip("-").isdigit()]
    return parts[-1].lower() if parts else ""
