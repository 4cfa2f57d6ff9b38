"""One row of the page "From the seeds": a capability, and the command that does it here."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tests.integration.seeds.ran import Ran

Seen = str | Callable[[Ran], bool]


@dataclass(frozen=True)
class Row:
    """One capability.

    Attributes:
        seed: A key of `SEEDS`.
        project: A name of `tests.integration.seeds.projects.PROJECTS`.
        shows: What its text matches, or what must be true of what came of it.
    """

    seed: str
    capability: str
    project: str
    command: str
    shows: Seen
    code: int = 0


def rows_of(
    seed: str, project: str, command: str, *rows: tuple[str, Seen], code: int = 0
) -> list[Row]:
    """Return the rows that one command shows."""
    return [Row(seed, name, project, command, shows, code) for name, shows in rows]
