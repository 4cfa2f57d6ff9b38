"""The values of a sample's fields, of any format: each is read by a function of its own."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice, product
from typing import Any, get_args

from ragate.core.hashing import digest
from ragate.errors import DatasetError
from ragate.files.json_schema import tool_schema
from ragate.models import Turn
from ragate.outputs.call_list import read_call
from ragate.settings import nearest, shown
from ragate.tables.cells import parsed_cell, reads_like_prose, text_of

ROLES = get_args(Turn.model_fields["role"].annotation)
MAX_TURNS = 200
_TURN_KEYS = frozenset({"role", "content"})
IN_PARTS = "split it: each part is the golden set of a gate of its own"
_REFERENCE_KEYS = frozenset({"text", "draft", "model"})
_FLAGS = {
    **dict.fromkeys(("true", "yes", "y", "1", "1.0"), True),
    **dict.fromkeys(("false", "no", "n", "0", "0.0"), False),
}
_PARAMETERS = ("parameters", "input_schema", "inputSchema")
_OWN = frozenset({"alternatives", "optional", "result"})
_LEFT_OUT = ""  # the leaderboard's word for an argument that may be left out
_EMPTY: list[Any] = [[]]  # it writes [] where the one right value is the empty list
_MOST = 256  # values of one argument


def _text(value: Any) -> str:
    if isinstance(value, float):  # 1.50 was written, and 1.5 is what is left of it
        raise ValueError("must be text; put it in quotes")  # noqa: TRY004 (one error for a row)
    return text_of(value)


def filled(value: Any) -> str:
    """Return a text that is not blank.

    Raises:
        ValueError: it is none.
    """
    text = _text(value)
    if not text.strip():
        raise ValueError("is blank")
    return text


def _id(value: Any) -> str:
    text = filled(value).strip()
    if not text.isprintable():
        raise ValueError("an id is one line of printable characters")
    return text


def _grades(value: Any) -> dict[str, int]:
    if isinstance(value, Mapping):
        if any(type(grade) is not int for grade in value.values()):
            raise ValueError("a grade is a whole number")
        return {filled(doc_id): grade for doc_id, grade in value.items()}
    if isinstance(value, str) and reads_like_prose(value):
        raise ValueError(
            "reads like an answer, and document ids are wanted; a right answer goes "
            "under 'references', an id with spaces into a list"
        )
    doc_ids = [filled(item) for item in _listed(value)]
    if len(set(doc_ids)) != len(doc_ids):
        raise ValueError("a document stands twice")
    return dict.fromkeys(doc_ids, 1)


def _references(value: Any) -> tuple[tuple[str, bool], ...]:
    """Return each text, and whether it is a draft."""
    return tuple(_reference(item) for item in _listed(value))


def _reference(item: Any) -> tuple[str, bool]:
    if not isinstance(item, Mapping):
        return filled(item), False
    if unknown := sorted(item.keys() - _REFERENCE_KEYS):
        raise ValueError(f"unknown key {unknown[0]!r}{nearest(unknown[0], _REFERENCE_KEYS)}")
    return filled(item.get("text")), _flag(item.get("draft", False))


def _tags(value: Any) -> tuple[str, ...]:
    texts = re.split("[,;]", value) if isinstance(value, str) else _listed(value)
    tags = (_text(text).strip() for text in texts)
    return tuple(dict.fromkeys(tag for tag in tags if tag))


def _flag(value: Any) -> bool:
    flag = value if isinstance(value, bool) else _FLAGS.get(str(value).strip().lower())
    if flag is None or not isinstance(value, bool | str):
        raise ValueError("must be true or false")
    return flag


def _metadata(value: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise ValueError("must be an object")  # noqa: TRY004
    return {
        _text(key): _text(item) if isinstance(item, str) else item for key, item in value.items()
    }


def _listed(value: Any) -> list[Any]:
    items = parsed_cell(value)
    return items if isinstance(items, list) else [value]


READ: dict[str, Callable[[Any], Any]] = {
    "id": _id,
    "query": filled,
    "relevant": _grades,
    "references": _references,
    "answerable": _flag,
    "tags": _tags,
    "must_pass": _flag,
    "metadata": _metadata,
    "draft": _flag,
}


# Earlier turns of a conversation, read from a row and told apart from its question.


def read_turns(value: Any) -> tuple[Turn, ...]:
    """Return the messages of a conversation, each with a role and its text.

    The content may be a list of parts, as model APIs take it, where all of them are texts.

    Raises:
        ValueError: one of them is no message, or there are too many.
    """
    messages = value if isinstance(value, list) else None
    if messages is None or not all(isinstance(message, Mapping) for message in messages):
        raise ValueError('must be a list of {"role": "user" or "assistant", "content": "…"}')
    if len(messages) > MAX_TURNS:
        raise ValueError(f"has {len(messages)} messages, and the limit is {MAX_TURNS}")
    return tuple(_turn(message, number) for number, message in enumerate(messages, start=1))


def _turn(message: Mapping[str, Any], number: int) -> Turn:
    if unknown := sorted(map(str, message.keys() - _TURN_KEYS)):
        hint = nearest(unknown[0], _TURN_KEYS)
        raise ValueError(f"message {number}: unknown key {unknown[0]!r}{hint}")
    role, content = message.get("role"), message.get("content")
    if role not in ROLES:
        raise ValueError(f"message {number}: the role is one of {', '.join(ROLES)}")
    if isinstance(content, list):
        parts = [part.get("text") if isinstance(part, Mapping) else part for part in content]
        texts = [part for part in parts if isinstance(part, str)]
        content = "".join(texts) if len(texts) == len(parts) else None
    try:
        return Turn.model_validate({"role": role, "content": filled(content)})
    except ValueError as error:
        raise ValueError(f"message {number}: content: {error}") from error


def take_question(where: str, fields: dict[str, Any]) -> None:
    """Where no query is given, the last message is the question, as model APIs have it.

    Raises:
        DatasetError: the question is missing, or stands twice.
    """
    messages = fields.get("messages", ())
    if not messages:
        return
    last = messages[-1]
    if "query" not in fields:
        if last.role != "user":
            raise DatasetError(
                f"{where}: 'query' is missing, and the last of 'messages' is the {last.role}'s",
                remedy="give the question as 'query', or as the last message, of the user",
            )
        fields["query"], fields["messages"] = last.content, messages[:-1]
    elif last.role == "user" and last.content.split() == fields["query"].split():
        raise DatasetError(
            f"{where}: the question stands twice: as 'query', and as the last of 'messages'",
            remedy="'messages' holds the turns before the question: take the last one out",
        )


def generated_id(query: str, messages: Sequence[Turn]) -> str:
    """Return the id of a question that has none of its own."""
    turns = [[turn.role, turn.content] for turn in messages]
    return f"q-{digest([query, *turns] if turns else query)[:12]}"


def read_tools(value: Any) -> tuple[dict[str, Any], ...]:
    """Return each tool as name and JSON Schema; OpenAI's, Anthropic's and MCP's forms are read.

    Raises:
        ValueError: one is no tool, its schema is none, or a name stands twice.
    """
    tools = tuple(_tool(item) for item in _refuse_other_than_list(value))
    names = [tool["name"] for tool in tools]
    if twice := next((name for name in names if names.count(name) > 1), ""):
        raise ValueError(f"the tool {twice!r} stands twice")
    return tools


def _tool(item: Any) -> dict[str, Any]:
    fields = item
    if isinstance(item, Mapping) and isinstance(item.get("function"), Mapping):
        fields = item["function"]
    if not isinstance(fields, Mapping) or not isinstance(fields.get("name"), str):
        problem = f"{shown(item)} is no tool: name and parameters are wanted"
        raise ValueError(problem)  # noqa: TRY004 (one error for a row)
    given = (fields[key] for key in _PARAMETERS if fields.get(key) is not None)
    schema: Any = next(given, {})
    if not isinstance(schema, Mapping):
        problem = f"the parameters of {fields['name']}: {shown(schema)} is no JSON Schema"
        raise ValueError(problem)  # noqa: TRY004
    try:
        return {"name": fields["name"], "parameters": tool_schema(schema)}
    except ValueError as error:
        raise ValueError(f"the parameters of {fields['name']}: {error}") from error


def read_expected_calls(value: Any) -> tuple[dict[str, Any], ...]:
    """Return the right calls; an empty list says that none is.

    Raises:
        ValueError: one is no call.
    """
    return tuple(_expected(item) for item in _refuse_other_than_list(value))


def _expected(item: Any) -> dict[str, Any]:
    if _is_of_the_leaderboard(item):
        [(name, accepted)] = item.items()
        return _of_the_leaderboard(name, accepted)
    call = read_call(item)
    if call.pop("malformed", ""):
        raise ValueError(f"the arguments of {call['name']} are no JSON object")
    return call | {key: item[key] for key in _OWN if item.get(key) is not None}


def _is_of_the_leaderboard(item: Any) -> bool:
    """Tell whether it is ``{"name of the tool": {"argument": [right values]}}``."""
    if not isinstance(item, Mapping) or len(item) != 1:
        return False
    [accepted] = item.values()
    return isinstance(accepted, Mapping) and all(isinstance(v, list) for v in accepted.values())


def _of_the_leaderboard(name: str, accepted: Mapping[str, list[Any]]) -> dict[str, Any]:
    optional = [argument for argument, values in accepted.items() if _LEFT_OUT in values]
    values = {argument: list(_choices(name, given)) for argument, given in accepted.items()}
    return {"name": name, "alternatives": values, "optional": optional}


def _choices(name: str, given: list[Any]) -> Iterator[Any]:
    """Yield the right values: in an object each of its keys has a list of them again."""
    right = [value for value in given if value != _LEFT_OUT] or given or _EMPTY
    for value in right:
        spelt_out = _spelt_out(value)
        if len(spelt_out) > _MOST:
            raise ValueError(f"{name}: an argument has more than {_MOST} right values")
        yield from spelt_out


def _spelt_out(value: Any) -> list[Any]:
    """Return every value that is meant, but no more than one beyond what is allowed."""
    if isinstance(value, list):
        meant: Iterator[Any] = map(list, product(*map(_spelt_out, value)))
    elif isinstance(value, Mapping) and all(isinstance(item, list) for item in value.values()):
        meant = _objects(value)
    else:
        return [value]
    return list(islice(meant, _MOST + 1))


def _objects(value: Mapping[str, list[Any]]) -> Iterator[dict[str, Any]]:
    """Yield the objects in which each key has one of its right values, or may be left out."""
    fields = [
        [(key, choice) for item in items or _EMPTY for choice in _spelt_out(item)]
        for key, items in value.items()
    ]
    for chosen in product(*fields):
        yield {key: choice for key, choice in chosen if choice != _LEFT_OUT}


def _refuse_other_than_list(value: Any) -> list[Any]:
    if not isinstance(value, list):
        raise ValueError("must be a list")  # noqa: TRY004 (one error for a row)
    return value
