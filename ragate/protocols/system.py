"""A system under test."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol

from ragate.models import Sample, SystemInfo, SystemOutput
from ragate.protocols.resources import Resources


class System(Protocol):
    """A RAG under test.

    Its module defines ``create(settings, resources)``, an async context manager that yields it.
    A failure on one sample is returned as `SystemOutput.error`; an exception is taken as one.
    A system may have `max_concurrency`, the most samples that it can take at once, and
    `identifies_state`: True where its fingerprint and the commit tell apart everything that it
    reads, databases included. Without it, passes of another run do not count as its own.
    """

    @property
    def info(self) -> SystemInfo:
        """Known after `prepare`."""
        ...

    @property
    def max_runs(self) -> int | None:
        """Number of recorded passes, or None where the system can run again at will."""
        ...

    async def prepare(self, *, rebuild: bool = False) -> None:
        """Bring the system up to date (incremental ingestion); `rebuild` starts afresh."""
        ...

    async def documents(self) -> frozenset[str] | None:
        """Return the ids of all documents that can be retrieved, None where unknown."""
        ...

    async def answer(self, sample: Sample, *, run: int = 0) -> SystemOutput:
        """Return the output for one sample in pass `run` (0-based; only recorded systems care)."""
        ...


class SystemModule(Protocol):
    """A module of ragate.systems, or one by dotted path."""

    def create(
        self, settings: Mapping[str, Any], resources: Resources
    ) -> AbstractAsyncContextManager[System]: ...
