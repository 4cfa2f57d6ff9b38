"""A system that can be closed and opened again: its processes and connections are new then."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from types import TracebackType
from typing import Any, Self

from ragate.protocols import System

Opens = Callable[[], AbstractAsyncContextManager[System]]


class RestartableSystem:
    """The system that `opens` gives; everything about it is as it was there."""

    def __init__(self, opens: Opens) -> None:
        self._opens = opens
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        self._system = await self._stack.enter_async_context(self._opens())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        return bool(await self._stack.__aexit__(kind, error, traceback))

    def __getattr__(self, name: str) -> Any:
        if name == "_system":  # not entered yet
            raise AttributeError(name)
        return getattr(self._system, name)

    async def restart(self) -> None:
        """Close the system and open it anew; it has to be prepared again."""
        await self._stack.aclose()
        self._system = await self._stack.enter_async_context(self._opens())
