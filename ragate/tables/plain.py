"""Rows of texts and lists of texts: a tool's names say what stands where, then common ones.

Lenient with names, strict with values: what cannot be what its name says is an error with its line,
and a field that nobody took is kept beside the rest.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import zip_longest
from typing import Any, TypeVar

from ragate.errors import DatasetError
from ragate.settings import shown
from ragate.tables.cells import (
    documents_of,
    is_blank,
    is_nothing,
    looks_like_document,
    nested_cell,
    parsed_cell,
    reads_like_prose,
    text_of,
    texts_of,
)
from ragate.tables.containers import without_row_numbers
from ragate.tables.formats import Shape
from ragate.tables.names import COMMON, RECORDED, SURE, part_of, plain
from ragate.tables.traced import (
    Exchange,
    Passage,
    passage,
    seconds,
    speaker,
    text_in,
    turns_before,
    value_at,
)

T = TypeVar("T")
Row = Mapping[str, Any]
# Fields of a golden set that keep their meaning in every file.
OWN = frozenset(
    {"answerable", "must_pass", "tags", "draft", "answer_keywords", "source_policy", "tools"}
    | {"expected_calls"}
)
_KEPT = ("metadata",)  # objects whose fields are kept as they are
_HOP = re.compile(r"\A<\d+-hop>\s*")  # before each context of a question over several documents
# Parts whose likely names are tried in the files of every tool.
_ALWAYS = frozenset({"contexts", "references", "relevant"})
_CITED = re.compile(r"\[([2-9]|[1-9]\d)\]")
_REFUSED = frozenset({"should_refuse", "unanswerable", "is_impossible"})
_BEHAVIOUR = {"answer": True, "reject": False, "refuse": False}


@dataclass
class _Fields:
    """The fields of one row, and for what each was taken."""

    where: str
    row: Row
    shape: Shape
    columns: Mapping[str, str]
    taken: dict[str, str] = field(default_factory=dict)
    absent: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.by_plain = {plain(str(name)): str(name) for name in self.row if str(name).strip()}

    def find(self, part: str) -> tuple[str, Any]:
        """Take the first field of a part that holds a value; its name with None where none does."""
        empty = ""
        for name in self._names(part):
            if name in self.taken.values():
                continue
            value = self.row[name] if name in self.row else value_at(self.row, name)
            if value is not None:
                self.taken[part] = name
                return name, value
            empty = empty or name if name in self.row else empty
        if empty:
            self.taken[part] = empty
        return empty, None

    def _names(self, part: str) -> Iterator[str]:
        if part in self.columns:
            yield from filter(None, [self.columns[part]])
            return
        yield from getattr(self.shape, part, ())
        known = COMMON if self.shape.is_common or part in _ALWAYS else SURE
        for name in known.get(part, ()):
            given = self.by_plain.get(name)
            if given is not None and not (
                part == "references" and name == "expected" and _are_documents(self.row[given])
            ):
                yield given

    def text(self, part: str) -> str:
        """Return a text, "" where there is none."""
        name, value = self.find(part)
        return "" if self._is_absent(name, value) else self.read(name, value, text_of)

    def texts(self, part: str, separator: str = "") -> tuple[str, ...]:
        """Return the texts of a list, or of one value."""
        name, value = self.find(part)
        if self._is_absent(name, value):
            return ()
        return self.read(name, value, lambda given: texts_of(given, separator=separator))

    def _is_absent(self, name: str, value: Any) -> bool:
        """Return whether a value is none; a word for that, such as N/A, is noted."""
        if is_nothing(value) and not is_blank(value):
            self.absent.append(f"{name} = {value!r}, which says that there is none")
        return is_nothing(value)

    def read(self, name: str, value: Any, how: Callable[[Any], T], *, remedy: str = "") -> T:
        """Return what `how` makes of a value.

        Raises:
            DatasetError: it can make nothing of it.
        """
        try:
            return how(value)
        except ValueError as error:
            problem = f"{self.where}: {name} = {shown(value)}: {error}"
            raise DatasetError(problem, remedy=remedy) from error


def plain_exchange(
    where: str,
    numbered: Row,
    shape: Shape,
    *,
    is_listed: bool = True,
    columns: Mapping[str, str] | None = None,
) -> Exchange:
    """Return what one row says.

    Args:
        is_listed: Whether passages are a list even where tables have them in one text.
        columns: The fields that somebody named, by what they hold; "" for none.

    Raises:
        DatasetError: a value is not what its name says; names the line and the field.
    """
    row = without_row_numbers(numbered)
    fields = _Fields(where, _unwrapped(row, shape), shape, columns or {})
    separator = "" if is_listed else shape.separator
    query, turns, left_out = _question(fields)
    references = fields.texts("references")
    said_name, given = _answer(fields)
    said = given if isinstance(given, str) else None
    evidence = fields.texts("evidence", separator)
    passages = _passages(fields, said or "", separator)
    evidence = evidence or _evidence_in_contexts(fields)
    relevant, files = _documents(fields)
    if passages is None and not references:
        references = _likely_reference(fields, said_name)
    _refuse_other_than_text(fields, said_name, given)
    exchange = Exchange(
        place=where,
        query=query,
        answer=said,
        passages=passages,
        references=references,
        error=fields.text("error") if said is None else "",
        latency_s=_latency(fields),
        turns=turns,
        id=fields.text("id"),
        relevant=relevant,
        files=files,
        evidence=tuple(_HOP.sub("", text) for text in evidence),
        left_out=(*left_out, *_unnamed(numbered, row), *fields.absent),
    )
    return _with_the_rest(fields, exchange)


def _latency(fields: _Fields) -> float | None:
    name, value = fields.find("latency")
    if is_nothing(value):
        return None
    number = fields.read(name, value, float) if isinstance(value, str) else value
    latency = seconds(number, of=fields.shape.per_second)
    if latency is None:
        raise DatasetError(f"{fields.where}: {name} = {shown(value)}: must be a duration")
    return latency


def _with_the_rest(fields: _Fields, exchange: Exchange) -> Exchange:
    """Return an exchange with what nothing took yet."""
    own, rest = _others(fields)
    recorded = _recorded(fields, rest)
    return replace(
        exchange,
        own=own,
        rest={name: value for name, value in rest.items() if name not in recorded},
        recorded=tuple(name for name in recorded if not is_nothing(fields.row.get(name))),
        named={
            part: name
            for part, name in fields.taken.items()
            if name not in getattr(fields.shape, part, ())
        },
    )


def _recorded(fields: _Fields, rest: Row) -> list[str]:
    """Return the names of the fields that hold what a system said or did."""
    by_system = {fields.taken.get(part, "") for part in ("answer", "passages", "ids")}
    by_system -= {"", fields.taken.get("references", "")}
    others = {name for name in rest if name in fields.row and _is_recorded(name, fields.shape)}
    return sorted(by_system | others)


def _unnamed(numbered: Row, row: Row) -> Iterator[str]:
    for name in numbered.keys() - row.keys():
        column = f"the column {name!r}" if name else "a column without a name"
        yield f"{column}, which numbers the rows"


def _unwrapped(row: Row, shape: Shape) -> Row:
    """Return a row with the fields of the objects that are only its parts: inputs, expectations."""
    inner: dict[str, Any] = {}
    outer = dict(row)
    for name in shape.unwrap:
        value = parsed_cell(row.get(name))
        is_part = isinstance(value, Mapping) and value and not _are_grades(value)
        if is_part and not isinstance(value.get("role"), str):
            del outer[name]
            for key, each in value.items():
                inner[f"{name}.{key}" if key in row or key in inner else key] = each
    return {**outer, **inner}


def _are_grades(value: Row) -> bool:
    return all(type(grade) is int for grade in value.values())


def _are_documents(value: Any) -> bool:
    """Whether `expected`, which may be a right answer as well, holds documents."""
    value = parsed_cell(value)
    names = value if isinstance(value, list | Mapping) else documents_of(str(value))
    return all(looks_like_document(str(name)) for name in names)


def _question(fields: _Fields) -> tuple[str, tuple[tuple[str, str], ...], list[str]]:
    """Return the question, the turns before it, and what of a conversation is left out."""
    name, value = fields.find("query")
    if isinstance(value, str) and value.lstrip().startswith("[{"):
        value = parsed_cell(value)  # a conversation in a cell of a table
    history_name, history = fields.find("messages")
    history = nested_cell(history, where=f"{fields.where}: {history_name}")
    if not is_nothing(history) and not isinstance(history, list):
        raise DatasetError(
            f"{fields.where}: {history_name} = {shown(history)}: must be a list of messages"
        )
    if value is None and isinstance(history, list):
        name, value, history = history_name, history, None
    if not isinstance(value, list):
        query = "" if is_nothing(value) else fields.read(name, value, text_of)
        said = history if isinstance(history, list) else []
        asked = [*said, {"role": "user", "content": query}]
        return query, turns_before(asked), _unheard(said)
    query = text_in(value, (), role="user")
    left_out = _unheard(value)
    if query and isinstance(value[-1], Mapping) and speaker(value[-1]) != "user":
        left_out.append("the answer to the last question, a recorded output")
    return query, turns_before(value), left_out


def _unheard(messages: list[Any]) -> list[str]:
    """Return which turns of a conversation are no part of a question."""
    roles = [speaker(each) for each in messages if isinstance(each, Mapping)]
    others = dict.fromkeys(role for role in roles if role not in {"user", "assistant", "system"})
    return [f"turns of the role {shown(role)}" for role in others]


def _answer(fields: _Fields) -> tuple[str, Any]:
    """Return the field of the answer, and what it holds; a chat without one ends with it."""
    name, value = fields.find("answer")
    if isinstance(value, str) and value.strip().lower() in {"nan", "<na>"}:
        value = None
    chat = parsed_cell(fields.row.get(fields.taken.get("query", "")))
    if (value is None or value == "") and isinstance(chat, list):
        return name, text_in(chat[-1:], (), role="assistant") or None
    return name, value


def _passages(fields: _Fields, said: str, separator: str) -> tuple[Passage, ...] | None:
    """Return what was retrieved, None where nothing says; ``contexts`` are, beside an answer.

    Raises:
        DatasetError: an item is no passage, their ids are of another number, or the answer cites
            one of several that were put into one text.
    """
    name, value = fields.find("passages")
    if value is None:
        other, contexts = fields.find("contexts")
        if said and other:
            name, value = other, contexts
            fields.taken["passages"] = fields.taken.pop("contexts")
    value = parsed_cell(value)
    ids = fields.texts("ids")
    if value is None and not ids:
        return None
    if not isinstance(value, str | list | None):
        raise DatasetError(f"{fields.where}: {name} = {shown(value)}: must be a list of passages")
    items = value if isinstance(value, list) else []
    if isinstance(value, str) and not is_nothing(value):
        items = list(fields.read(name, value, lambda v: texts_of(v, separator=separator)))
        if len(items) == 1 and (cited := _CITED.search(said)):
            raise DatasetError(
                f"{fields.where}: {name} is one text, and the answer cites {cited[0]}: it holds "
                "several passages",
                remedy='write the passages as a list, such as JSON: ["first", "second"]',
            )
    passages = [_passage(fields, name, item) for item in items if not is_blank(item)]
    if not ids:
        return tuple(passages)
    if passages and len(ids) != len(passages):
        raise DatasetError(
            f"{fields.where}: {len(passages)} {name}, and {len(ids)} {fields.taken['ids']}"
        )
    pairs = zip_longest(passages, ids, fillvalue=None)
    return tuple(Passage(each.text if each else "", doc_id or "") for each, doc_id in pairs)


def _passage(fields: _Fields, name: str, item: Any) -> Passage:
    read = passage(item) if isinstance(item, str | Mapping) else None
    if read is None:
        raise DatasetError(f"{fields.where}: {name}: {shown(item)}: must be text")
    return read


def _documents(fields: _Fields) -> tuple[dict[str, int], tuple[str, ...]]:
    """Return grades by expected document, and names of files that may be documents.

    Raises:
        DatasetError: a grade is no whole number, or a text reads like an answer.
    """
    files = fields.texts("files", "\0")
    name, value = fields.find("relevant")
    value = parsed_cell(value)
    if isinstance(value, Mapping):
        if not _are_grades(value):
            raise DatasetError(
                f"{fields.where}: {name} = {shown(value)}: a grade is a whole number"
            )
        return {str(document): grade for document, grade in value.items()}, files
    if is_nothing(value):
        return {}, files
    if isinstance(value, str) and reads_like_prose(value):
        raise DatasetError(
            f"{fields.where}: {name} = {shown(value)}: reads like an answer, and document ids are "
            "wanted",
            remedy=f"name it: --column references={name}",
        )
    texts = fields.read(name, value, texts_of)
    documents = dict.fromkeys((name for text in texts for name in documents_of(text)), 1)
    return documents, (*files, *documents) if fields.shape.is_common else files


def _may_be_reference(fields: _Fields, name: str) -> bool:
    is_answer = plain(name) in {"answer", "a", "output"}
    return fields.shape.is_common and is_answer and name not in fields.columns.values()


def _likely_reference(fields: _Fields, name: str) -> tuple[str, ...]:
    """Return what is meant as the right answer where nothing tells that a system said it."""
    value = fields.row.get(name)
    if not _may_be_reference(fields, name) or is_nothing(value):
        return ()
    fields.taken["references"] = name
    return fields.read(name, value, texts_of)


def _refuse_other_than_text(fields: _Fields, name: str, given: Any) -> None:
    """Refuse an answer that was not taken for what is right; a number may be anything."""
    if given is None or isinstance(given, str) or fields.taken.get("references") == name:
        return
    if isinstance(given, list | Mapping) or not _may_be_reference(fields, name):
        raise DatasetError(
            f"{fields.where}: {name} = {shown(given)}: must be text",
            remedy=f"if it is right, and no output: --column references={name}",
        )


def _evidence_in_contexts(fields: _Fields) -> tuple[str, ...]:
    """Return the passages of a field that may hold retrieved ones as well: texts alone."""
    name = fields.taken.get("contexts", "")
    if not name or "evidence" in fields.columns:
        return ()
    remedy = (
        "it is no list of texts: --column evidence= leaves it out, --column evidence=NAME names "
        "another"
    )
    return fields.read(name, fields.row[name], texts_of, remedy=remedy)


def _others(fields: _Fields) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the fields that a golden set knows, and all others that say something."""
    own: dict[str, Any] = {}
    rest: dict[str, Any] = {}
    taken = set(fields.taken.values())
    for name, value in fields.row.items():
        part = part_of(name)
        if name in taken or is_nothing(value) or value in ([], {}):
            if fields.shape.is_common and part == "expected_calls" and value == []:
                own[part] = value  # no call is right
        elif part in OWN:
            own[part] = parsed_cell(value)
        elif name in (*_KEPT, *fields.shape.keep):
            rest |= _kept(fields, name, value)
        elif isinstance(value, Mapping) and value.keys() == {"model_name", "type"}:  # who wrote it
            rest[name] = f"{value['type']} {value['model_name']}".strip()
        else:
            rest[str(name).removeprefix("metadata.")] = value
    _take_answerable(own, rest)
    if "tags" in rest:
        own.setdefault("tags", rest.pop("tags"))
    return own, rest


def _take_answerable(own: dict[str, Any], rest: dict[str, Any]) -> None:
    """Take a field that says whether there is a right answer, under one of its other names."""
    for name in _REFUSED & rest.keys():
        if isinstance(is_refused := rest[name], bool) and "answerable" not in own:
            own["answerable"] = not is_refused
            del rest[name]
    behaviour = rest.get("behavior")
    if isinstance(behaviour, str) and behaviour in _BEHAVIOUR and "answerable" not in own:
        own["answerable"] = _BEHAVIOUR[rest.pop("behavior")]


def _kept(fields: _Fields, name: str, value: Any) -> dict[str, Any]:
    value = nested_cell(value, where=f"{fields.where}: {name}")
    if not isinstance(value, Mapping):
        return {name: value}
    return {str(key): each for key, each in value.items() if each is not None}


def _is_recorded(name: str, shape: Shape) -> bool:
    return name in shape.recorded or (shape.is_common and plain(name) in RECORDED)
