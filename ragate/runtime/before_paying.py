"""What is looked at once, before the first answer of a run that costs something."""

import asyncio
from collections.abc import Awaitable, Callable

Look = Callable[[], Awaitable[None]]


class BeforePaying:
    """Looks whether what a new answer brings about can be had; until then, nothing is asked.

    A run whose answers are all known never looks.
    """

    def __init__(self) -> None:
        self._looks: list[Look] = []
        # The recorder's server has an event loop of its own.
        self._tasks: dict[asyncio.AbstractEventLoop, asyncio.Task[None]] = {}

    def demand(self, look: Look) -> None:
        """Have `look` called before the first answer; what it raises ends the run."""
        self._looks.append(look)

    async def __call__(self) -> None:
        """Return when every look went well; all that ask at once wait for the same one.

        Raises:
            NotReadyError: something that the run needs cannot be had.
        """
        if not self._looks:
            return
        loop = asyncio.get_running_loop()
        if loop not in self._tasks:
            self._tasks[loop] = asyncio.ensure_future(self._look())
        await asyncio.shield(self._tasks[loop])

    async def _look(self) -> None:
        for look in self._looks:
            await look()
