"""A way to reach the RAG of a project, as far as it can be told without asking."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

# Under what names a question is taken by custom, the likeliest first.
QUESTION = (
    *("question", "query", "q", "user_query", "user_question", "prompt", "message", "text"),
    *("input", "user_input", "question_text", "search", "search_query", "content", "ask"),
)


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


def body_template(body: Mapping[str, object]) -> str:
    """Return a body as the template that ``[system] body`` takes: None stands for the question."""
    import json

    pairs = (
        f"{json.dumps(name)}: {'{{ query | tojson }}' if value is None else json.dumps(value)}"
        for name, value in body.items()
    )
    return "{" + ", ".join(pairs) + "}"
