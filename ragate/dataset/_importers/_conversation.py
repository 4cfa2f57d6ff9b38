"""A conversation as other tools record it: its last question, and the turns before."""

from collections.abc import Mapping
from typing import Any

from ragate.dataset._importers._common import Notes, text_of
from ragate.dataset._messages import MAX_TURNS
from ragate.errors import DatasetError
from ragate.models import Turn
from ragate.support.settings import shown

# What tools call the three roles of a conversation; other roles are tools and their results.
_ROLES = {
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
    "bot": "assistant",
    "model": "assistant",
    "system": "system",
    "developer": "system",
}


def question_of(where: str, name: str, messages: Any, notes: Notes) -> tuple[str, tuple[Turn, ...]]:
    """Return the last thing that the user said, and the turns before it.

    What stands behind it is a recorded output; turns of tools are left out, and noted.

    Args:
        name: Of the field that holds the messages: objects with ``role`` or ``type``, and
            ``content``.

    Returns:
        A question "" where the user said nothing.

    Raises:
        DatasetError: it is no list of messages.
    """
    turns = turns_of(where, name, messages, notes)
    asked = [place for place, turn in enumerate(turns) if turn.role == "user"]
    if not asked:
        return "", ()
    last = asked[-1]
    if len(turns) > last + 1:
        notes.add("left out: the answer to the last question, a recorded output (docs/replay.md)")
    return turns[last].content, turns[:last]


def turns_of(where: str, name: str, messages: Any, notes: Notes) -> tuple[Turn, ...]:
    """Return the turns of a conversation; those of tools are left out, and noted.

    Raises:
        DatasetError: it is no list of messages, or a longer one than a sample may hold.
    """
    if not isinstance(messages, list) or not all(isinstance(one, Mapping) for one in messages):
        raise DatasetError(f"{where}: {name} = {shown(messages)}: must be a list of messages")
    if len(messages) > MAX_TURNS:
        raise DatasetError(
            f"{where}: {name} has {len(messages)} messages, and the limit is {MAX_TURNS}"
        )
    turns = (_turn(where, name, message, notes) for message in messages)
    return tuple(turn for turn in turns if turn is not None)


def _turn(where: str, name: str, message: Mapping[str, Any], notes: Notes) -> Turn | None:
    called = message.get("role", message.get("type"))
    role = _ROLES.get(str(called).lower())
    if role is None:
        notes.add(f"left out: turns of the role {shown(called)}")
        return None
    content = message.get("content")
    if isinstance(content, list):  # parts, of which only the texts can be told
        parts = [part.get("text") if isinstance(part, Mapping) else part for part in content]
        content = "".join(part for part in parts if isinstance(part, str))
    text = text_of(where, name, content)
    return Turn.model_validate({"role": role, "content": text}) if text else None
