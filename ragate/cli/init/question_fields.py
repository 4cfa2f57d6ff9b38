"""What a question is called in a body, a query string or an argument, and bodies that ask it."""

import json
import re
from collections.abc import Iterable, Mapping

# What a body's field is tried under where nothing tells.
FIELDS = ("question", "query", "message", "q", "text", "prompt", "input")
_SURE = ("question", "query", "q")
# Words that a question is named by, the likeliest first, and those that stand beside them.
_NAMED = (*_SURE, "prompt", "message", "utterance", "text", "input", "search", "content")
_BESIDE = frozenset({"user", "customer", "chat", "raw", "current", "latest", "term", "string"})
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_MESSAGES = '[{"role": "user", "content": {{ query | tojson }}}]'


def questions_in(names: Iterable[str]) -> list[str]:
    """Return those that a question is taken under by custom, the likeliest first: `userQuery`."""
    ranks = {name: rank for name in names if (rank := _rank(name)) is not None}
    return sorted(ranks, key=lambda name: (ranks[name], len(name), name))


def is_question(name: str) -> bool:
    """Return whether an argument of this name can hardly be anything but a question."""
    rank = _rank(name)
    return rank is not None and (rank < len(_SURE) or not _BESIDE.isdisjoint(_words(name)))


def _rank(name: str) -> int | None:
    """Return the place of the likeliest word of a name that has none but these."""
    words = _words(name) if name.isidentifier() else []
    ranks = [_NAMED.index(word) for word in words if word in _NAMED]
    return min(ranks) if ranks and {*words} <= {*_NAMED, *_BESIDE} else None


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(name)]


def body_template(body: Mapping[str, object], *, chat: str = "") -> str:
    """Return a body as the template that ``[system] body`` takes: None stands for the question.

    Args:
        chat: The field that takes a list of messages, of which the question is the only one.
    """
    written = {name: json.dumps(value) for name, value in body.items()}
    written |= {name: "{{ query | tojson }}" for name, value in body.items() if value is None}
    if chat:
        written[chat] = _MESSAGES
    return "{" + ", ".join(f"{json.dumps(name)}: {text}" for name, text in written.items()) + "}"
