"""Looking after a plan while its outputs are waited for: who works at it, and what went wrong."""

import time
from collections.abc import Callable

from ragate.errors import NotReadyError
from ragate.pipeline.workers.block_error import read_error
from ragate.queue.submission import Submission

LOOK_S = 2.0
LOST_S = 10.0  # between looks at every job
HINT_S = 15.0  # without anything done by anybody
ALONE_S = 600.0


class Watch:
    """Looks at a plan's blocks every now and then.

    Args:
        where: What a worker is to be started in.
    """

    def __init__(self, submission: Submission, say: Callable[[str], None], where: str) -> None:
        self._submission = submission
        self._say = say
        self._where = where
        self._looked = self._looked_for_lost = self._moved = time.monotonic()
        self._hinted = False
        self._told: set[str] = set()

    def moved(self) -> None:
        """Note that something was done."""
        self._moved = time.monotonic()
        self._hinted = False

    async def look(self) -> None:
        """Give blocks of lost workers to others; say what went wrong, and who is missing.

        Raises:
            RagateError: a block cannot be done: as the worker had it.
            NotReadyError: there has been no worker for a long time.
        """
        now = time.monotonic()
        if now - self._looked < LOOK_S:
            return
        self._looked = now
        await self._submission.jobs.retry_stalled()
        lost = now - self._looked_for_lost >= LOST_S
        if lost:
            self._looked_for_lost = now
        for trouble in await self._submission.troubles(lost=lost):
            error = read_error(trouble.block, trouble.error)
            if trouble.final:
                raise error
            if error.message not in self._told:
                self._told.add(error.message)
                self._say(f"given back: {error.message}; another worker may do it")
        if await self._submission.jobs.at_work():
            self.moved()
        elif now - self._moved >= ALONE_S:
            raise NotReadyError(
                f"no worker took a block for {ALONE_S / 60:g} minutes",
                remedy=f"start `ragate worker` {self._where}; then go on with --resume",
            )
        elif now - self._moved >= HINT_S and not self._hinted:
            self._hinted = True
            self._say(
                f"no worker takes a block of queue {self._submission.queue_name}: start `ragate "
                f"worker` {self._where}"
            )
