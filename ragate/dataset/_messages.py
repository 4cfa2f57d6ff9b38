"""Earlier turns of a conversation: read from a row, and told apart from its question."""

from collections.abc import Mapping, Sequence
from typing import Any, get_args

from ragate.core.hashing import digest
from ragate.dataset._values import filled
from ragate.errors import DatasetError
from ragate.models import Turn
from ragate.support.settings import nearest

ROLES = get_args(Turn.model_fields["role"].annotation)
MAX_TURNS = 200
_TURN_KEYS = frozenset({"role", "content"})


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
