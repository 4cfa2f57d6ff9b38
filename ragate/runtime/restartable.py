"""A system that can be closed and opened again: its processes and connections are new then."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from types import TracebackType
from typing import Self

from ragate.protocols import System
from ragate.runtime.wrapped_system import WrappedSystem

Opens = Callable[[], AbstractAsyncContextManager[System]]


class RestartableSystem(WrappedSystem):
    """The system that `opens` gives, once it is entered."""

    def __init__(self, opens: Opens) -> None:
        self._opens = opens
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> Self:
        self.system = await self._stack.enter_async_context(self._opens())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> bool:
        return bool(await self._stack.__aexit__(kind, error, traceback))

    async def restart(self) -> None:
        """Close the system and open it anew; it has to be prepared again."""
        await self._stack.aclose()
        self.system = await self._stack.enter_async_context(self._opens())
