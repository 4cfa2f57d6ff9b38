"""A system that a project may be gated as."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class FoundSystem:
    """One way to reach the RAG of a project.

    Attributes:
        use: The system's name.
        what: What was found, and where: ``the LlamaIndex engine build() in bot.py``.
        likelihood: From 0 to 100; among equals the first wins.
        settings: Keys of ``[system]`` beside `use`, in order; ``pointers`` is a table.
        policy: Keys that the policy needs for it, in order.
        documents: Folder of its documents below the root, "" where it is not known.
        answers, passages, ids: Whether these come back, as far as the code tells.
        unsure: What was guessed and has to be looked at, one line each.
        files: Files that it needs and that `init` writes: paths below the root, with their text.
    """

    use: str
    what: str
    likelihood: int
    settings: Mapping[str, Any] = field(default_factory=dict)
    policy: Mapping[str, Any] = field(default_factory=dict)
    documents: str = ""
    answers: bool = True
    passages: bool = True
    ids: bool = True
    unsure: tuple[str, ...] = ()
    files: Mapping[str, str] = field(default_factory=dict)
