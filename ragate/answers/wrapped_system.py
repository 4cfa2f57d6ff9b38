"""A system around another one, in which a subclass changes something."""

from collections.abc import Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack
from types import TracebackType
from typing import Self

from ragate.models import Sample, SystemInfo, SystemOutput
from ragate.protocols import System, SystemAbilities, system_abilities

Opens = Callable[[], AbstractAsyncContextManager[System]]


class WrappedSystem:
    """Everything about it is as it is in `system`."""

    def __init__(self, system: System) -> None:
        self.system = system

    @property
    def info(self) -> SystemInfo:
        return self.system.info

    @property
    def max_runs(self) -> int | None:
        return self.system.max_runs

    @property
    def abilities(self) -> SystemAbilities:
        return system_abilities(self.system)

    async def prepare(self, *, rebuild: bool = False) -> None:
        """Bring the system up to date."""
        await self.system.prepare(rebuild=rebuild)

    async def documents(self) -> frozenset[str] | None:
        """Return the ids of all documents that can be retrieved."""
        return await self.system.documents()

    async def answer(self, sample: Sample, *, run: int = 0) -> SystemOutput:
        """Return the output for one sample in pass `run`."""
        return await self.system.answer(sample, run=run)


# A system that can be closed and opened again: its processes and connections are new then.


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


def restartable(system: System) -> RestartableSystem | None:
    """Return what can be closed and opened anew of a system, None where nothing can."""
    while isinstance(system, WrappedSystem) and not isinstance(system, RestartableSystem):
        system = system.system
    return system if isinstance(system, RestartableSystem) else None
