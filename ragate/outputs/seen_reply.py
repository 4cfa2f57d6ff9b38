"""Where the parts of a reply stand, or of a line that somebody recorded, found in it itself.

What counts is what the values are: a field whose values are documents that are known is the
document's id, whatever it is called. Names decide only where values do not.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
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
_NO_ANSWER = ("expected", "reference", "ground", "gold", "truth", "metadata", "error", "question")
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
    def ids(self) -> list[str]:
        """Its values as ids, [] where one cannot be."""
        are_ids = all(_is_plain(value) and value != "" for value in self.values)
        return [str(value) for value in self.values] if are_ids else []

    @property
    def length(self) -> float:
        """Characters of a text in the mean, 0 where not every value is a text."""
        texts = [value for value in self.values if isinstance(value, str)]
        if len(texts) < len(self.values):
            return 0.0
        return sum(map(len, texts)) / len(texts)


@dataclass(frozen=True)
class _PassageList:
    """A list as one of passages.

    Attributes:
        pointer: Where it stands.
        parts: Pointers by part; none where it holds no passages.
        known: Share of its documents that are known.
        length: Number of its items.
    """

    pointer: str = ""
    parts: Mapping[str, str] = field(default_factory=dict)
    known: float = 0.0
    length: int = 0


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
    passages = _passages(lists, known)
    texts = {
        pointer: value
        for pointer, value in leaves.items()
        if isinstance(value, str)
        and value.strip() not in {"", question.strip()}
        and _may_be_answer(pointer, passages)
    }
    pointers = {
        "answer": _answer(texts),
        **passages.parts,
        "citations": _citations(lists, besides={*passages.parts.values()}),
        "usage": _usage(leaves),
    }
    stated = {part: pointer for part, pointer in pointers.items() if pointer}
    return ReadReply(stated, passages.known)


def read_events(events: Sequence[Any], *, question: str, known: KnownShare) -> ReadReply:
    """Return the same of a stream, whose answer comes in pieces: the field of the most events."""
    objects = [event for event in events if isinstance(event, Mapping)]
    counted: Counter[str] = Counter()
    for event in objects:
        for pointer, value in single_values(event).items():
            may_be_piece = _rank(pointer) or "delta" in pointer or "token" in pointer
            if isinstance(value, str) and may_be_piece:
                counted[pointer] += 1

    replies = [read_reply(event, question=question, known=known) for event in objects]
    best = max(
        replies, key=lambda reply: (reply.known, "ids" in reply.pointers), default=ReadReply()
    )
    pointers = {part: pointer for part, pointer in best.pointers.items() if part != "answer"}
    if counted:
        ((answer, _),) = counted.most_common(1)
        pointers = {"answer": answer, **pointers}
    return ReadReply(pointers, best.known)


def _may_be_answer(pointer: str, passages: _PassageList) -> bool:
    if pointer in passages.parts.values() or _is_below(pointer, passages.pointer):
        return False
    return not any(word in pointer.lower() for word in _NO_ANSWER)


def _usage(pointers: Iterable[str]) -> str:
    """Return where the object stands that says how many tokens were used, "" for nowhere."""
    for pointer in pointers:
        holder, _, name = pointer.rpartition("/")
        if name in _USAGE:
            return holder
    return ""


def _answer(texts: Mapping[str, str]) -> str:
    ranks = {pointer: rank for pointer in texts if (rank := _rank(pointer)) is not None}
    if ranks:
        return min(ranks, key=lambda pointer: (ranks[pointer], pointer))
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
    is_of_chat = "messages" in names  # beside a field of its own it is the way there
    likeliest = min(_ANSWERS.index(name) for name in names if name in _ANSWERS)
    return (int(is_of_chat), likeliest, len(names))


def _passages(lists: Lists, known: KnownShare) -> _PassageList:
    """Return the likeliest list of passages: what is known of its documents, then its texts."""
    every = [_as_passages(pointer, items, known) for pointer, items in lists]
    with_parts = [each for each in every if each.parts]
    likeliest = min(with_parts, key=_place_in_order, default=_PassageList())
    if list(likeliest.parts.values()) == [likeliest.pointer]:
        parts = {**likeliest.parts, **_beside(likeliest.pointer, lists)}
        return replace(likeliest, parts=parts)
    return likeliest


def _place_in_order(passages: _PassageList) -> tuple[bool, bool, bool, int, int, str]:
    """Return what ranks a list of passages: the least is the likeliest."""
    return (
        passages.known < LIKELY,
        "cit" in name_of(passages.pointer),
        "contexts" not in passages.parts,
        -passages.length,
        passages.pointer.count("/"),
        passages.pointer,
    )


def _beside(pointer: str, lists: Lists) -> dict[str, str]:
    """Return the parts of two lists of one length, of texts and of their documents; else none."""
    items = dict(lists)[pointer]
    has_ids = _is_named(pointer, _LISTED_IDS)
    for other, items_of_other in lists:
        are_texts = all(isinstance(item, str) for item in [*items, *items_of_other])
        if other == pointer or len(items_of_other) != len(items) or not are_texts:
            continue
        other_has_ids = _is_named(other, _LISTED_IDS)
        if other_has_ids and not has_ids:
            return {"contexts": pointer, "ids": other}
        if has_ids and not other_has_ids and _is_named(other, _LISTS):
            return {"contexts": other, "ids": pointer}
    return {}


def _as_passages(pointer: str, items: list[Any], known: KnownShare) -> _PassageList:
    """Return the parts of a list: by what its values are, where these tell nothing by its names."""
    no_passages = _PassageList(pointer)
    if _is_chat(items):
        return no_passages
    columns = _columns(pointer, items)
    shares = {column.pointer: known(column.ids) if column.ids else 0.0 for column in columns}
    best = max(columns, key=lambda column: shares[column.pointer], default=None)
    ids = best if best is not None and shares[best.pointer] >= LIKELY else None
    if ids is None and not _is_named(pointer, _LISTS):
        return no_passages

    texts = [column for column in columns if column.length and column is not ids]
    text = _by_name(texts, _TEXTS) or _longest_prose(texts)
    if ids is None:
        ids = _ids_by_name([column for column in columns if column is not text])
    if ids is None and text is None:
        is_list_of_names = len(columns) == 1 and columns[0].pointer == pointer
        if not is_list_of_names:
            return no_passages
        ids = columns[0]

    scores = (column for column in columns if _is_named(column.name, _SCORES))
    chosen = {"contexts": text, "ids": ids, "scores": next(scores, None)}
    parts = {part: column.pointer for part, column in chosen.items() if column is not None}
    share = shares[ids.pointer] if ids is not None else 0.0
    return _PassageList(pointer, parts, share, len(items))


def _longest_prose(columns: Sequence[_Column]) -> _Column | None:
    prose = (column for column in columns if column.length >= _PROSE)
    return max(prose, key=lambda column: column.length, default=None)


def _ids_by_name(columns: Sequence[_Column]) -> _Column | None:
    may_be_ids = [column for column in columns if column.ids]
    ending_so = (column for column in may_be_ids if column.name.lower().endswith("id"))
    return _by_name(may_be_ids, _IDS) or next(ending_so, None)


def _by_name(columns: Sequence[_Column], names: Sequence[str]) -> _Column | None:
    named = (column for column in columns if column.name in names)
    return min(named, key=lambda each: (names.index(each.name), each.pointer), default=None)


def _columns(pointer: str, items: list[Any]) -> list[_Column]:
    """Return the fields that every item of a list has; of plain items the list itself."""
    if all(map(_is_plain, items)):
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
        if "cit" not in name_of(pointer):
            continue
        columns = [column for column in _columns(pointer, items) if column.ids]
        columns = [column for column in columns if column.pointer not in besides]
        column = columns[0] if len(columns) == 1 else _by_name(columns, _IDS)
        if column is not None:
            return column.pointer
    return ""


def single_values(value: Any) -> dict[str, Any]:
    """Return the values that stand alone, by pointer."""
    return {pointer: leaf for pointer, leaf in _walk(value) if not isinstance(leaf, list)}


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
        alone = _item_alone(value)
        if alone is not None:
            inside = _walk(value[alone], f"{pointer}/{alone}", depth + 1)
            yield from ((inner, leaf) for inner, leaf in inside if not isinstance(leaf, list))


def _within(items: list[Any], pointer: str, depth: int) -> Iterator[tuple[str, list[Any]]]:
    """Yield the lists within the items of a list: those of one name joined."""
    lists: dict[str, list[Any]] = {}
    for item in items:
        for inner, value in _walk(item, "", depth + 1):
            if isinstance(value, list) and inner:
                lists.setdefault(inner, []).extend(value)
    for inner, joined in lists.items():
        yield f"{pointer}/*{inner}", joined


def _item_alone(items: list[Any]) -> int | None:
    """Return which item of a list stands alone, None where none does."""
    if _is_chat(items):
        return -1 if speaker(items[-1]) != "user" else None
    return 0 if len(items) == 1 else None


def _is_chat(items: list[Any]) -> bool:
    return all(isinstance(item, Mapping) and speaker(item) for item in items)


def _is_plain(value: Any) -> bool:
    """Whether a value is a text or a whole number."""
    return isinstance(value, str | int) and not isinstance(value, bool)


def _is_keyed(value: Mapping[Any, Any]) -> bool:
    """Whether an object is a list of items, each under its id: ``{"17": {"text": …}, …}``."""
    rows = [*value.values()]
    alike = all(isinstance(row, Mapping) and row.keys() == rows[0].keys() for row in rows)
    return bool(rows) and alike and all(_ID.fullmatch(str(key)) for key in value)


def _is_tuple(value: Any) -> bool:
    """Whether a list holds different kinds of things, as ``return answer, documents`` does."""
    if not isinstance(value, list) or not 1 < len(value) <= _MOST_PARTS:
        return False
    kinds = {type(item) if type(item) in (list, dict, str) else None for item in value}
    return len(kinds) > 1


def _is_below(pointer: str, holder: str) -> bool:
    """Whether a value stands within a list, which may be reached by a star or by a number."""
    parts, parts_of_holder = pointer.split("/"), holder.split("/")
    if not holder or len(parts) <= len(parts_of_holder):
        return False
    pairs = zip(parts, parts_of_holder, strict=False)
    return all(part == above or (above == "*" and part.isdigit()) for part, above in pairs)


def _is_named(pointer: str, words: Sequence[str]) -> bool:
    """Whether the last name of a pointer, or a name, has one of these words in it."""
    return any(word in name_of(pointer) for word in words)


def name_of(pointer: str) -> str:
    """Return the last name of a pointer in small letters, "" where it has numbers only."""
    parts = [part for part in pointer.split("/") if part != "*" and not part.lstrip("-").isdigit()]
    return parts[-1].lower() if parts else ""
