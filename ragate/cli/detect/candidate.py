"""A way to reach the RAG of a project, as far as it can be told without asking."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

QUESTION = ("question", "query", "q")
# Words that a question is named by, the likeliest first, and those that stand beside them.
_NAMED = (*QUESTION, "prompt", "message", "utterance", "text", "input", "search", "content", "ask")
_BESIDE = frozenset({"user", "customer", "chat", "raw", "current", "latest", "term", "string"})
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")


@dataclass(frozen=True)
class RagCandidate:
    """Something that may answer questions.

    Attributes:
        use: The system's name.
        what: What was found, and where: ``the function answer() in bot.py:3``.
        likelihood: From 0 to 100; among equals the first wins.
        settings: Keys of ``[system]`` beside `use`, in order.
        policy: Keys that the policy needs for it, in order.
        variants: Keys of ``[system]`` that differ in how it is asked, the likeliest first: the
            first that it answers to is taken.
        notes: What has to be known of it, one line each.
        files: Files that it needs and that `init` writes: paths below the root, with their text.
    """

    use: str
    what: str
    likelihood: int
    settings: Mapping[str, Any] = field(default_factory=dict)
    policy: Mapping[str, Any] = field(default_factory=dict)
    variants: tuple[Mapping[str, Any], ...] = ()
    notes: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)

    @property
    def first(self) -> Mapping[str, Any]:
        """Its keys as they are tried first."""
        return {**self.settings, **(self.variants[0] if self.variants else {})}


def questions_in(names: Iterable[str]) -> list[str]:
    """Return those that a question is taken under by custom, the likeliest first: `userQuery`."""
    ranks = {name: rank for name in names if (rank := _rank(name)) is not None}
    return sorted(ranks, key=lambda name: (ranks[name], len(name), name))


def is_question(name: str, *, surely: bool = False) -> bool:
    """Return whether an argument of this name may be a question.

    Args:
        surely: Leave out what any function may take, as "text" and "message".
    """
    rank = _rank(name)
    return rank is not None and not (
        surely and rank >= len(QUESTION) and _BESIDE.isdisjoint(_words(name))
    )


def _rank(name: str) -> int | None:
    """Return the place of the likeliest word of a name that has none but these."""
    words = _words(name) if name.isidentifier() else []
    ranks = [_NAMED.index(word) for word in words if word in _NAMED]
    return min(ranks) if ranks and {*words} <= {*_NAMED, *_BESIDE} else None


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(name)]


def body_template(body: Mapping[str, object]) -> str:
    """Return a body as the template that ``[system] body`` takes: None stands for the question."""
    import json

    pairs = (
        f"{json.dumps(name)}: {'{{ query | tojson }}' if value is None else json.dumps(value)}"
        for name, value in body.items()
    )
    return "{" + ", ".join(pairs) + "}"
