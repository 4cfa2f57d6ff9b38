"""Systems and policies that runs are planned for."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from ragate.answers.collected_outputs import Collected
from ragate.models import Reads, RunManifest, SystemInfo


def session_of(most: int, *, deterministic: frozenset[Reads] = frozenset()) -> Any:
    """Return what a plan asks of a session whose system can give `most` passes."""
    info = SystemInfo(use="replay", deterministic=deterministic)
    said: list[str] = []
    return SimpleNamespace(
        system=SimpleNamespace(info=info),
        operations=SimpleNamespace(say=said.append),
        said=said,
        own_sessions=False,
        collected=Collected(RunManifest(system=info)),
        can_add=lambda passes: min(passes, most),
    )
