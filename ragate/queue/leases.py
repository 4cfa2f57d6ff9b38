"""What a worker asks of the queue: functions alone, so that its role needs no right on a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ragate.errors import RagateError
from ragate.queue.engine import Queue

if TYPE_CHECKING:
    import psycopg


class PlanGoneError(RagateError):
    """The plan of a block was deleted: nothing can come of it."""


class LeaseOverError(RagateError):
    """The block is another worker's by now, or its run is over: what came of it is not wanted."""


class BlockNotDoneError(RagateError):
    """An output of the block is wanted anew: whoever goes on with the run has forgotten it."""


@dataclass(frozen=True)
class Lease:
    """A block that was given to this worker.

    Attributes:
        token: Stands for it, until another worker gets the block.
        head: Of its plan.
        run: The pass, from 0.
        rebuilds: How often the system was to be made anew before.
        samples: Ids of what is still to be asked.
    """

    token: str
    head: str
    run: int
    rebuilds: int
    samples: tuple[str, ...]


class Leases:
    """The functions of `tables`, as a worker calls them."""

    def __init__(self, queue: Queue) -> None:
        self.queue = queue

    async def begin(self, plan: str, block: int) -> Lease | None:
        """Return a block, None where nothing of it is left to do.

        Raises:
            PlanGoneError: there is no such plan.
            LeaseOverError: its run is over.
        """
        rows = await self._called("SELECT * FROM ragate_work.begin_block(%s, %s)", plan, block)
        if not rows:
            return None
        token, head, run, rebuilds, samples = rows[0]
        return Lease(str(token), head, run, rebuilds, tuple(samples))

    async def append(self, lease: Lease, samples: Sequence[str], lines: Sequence[str]) -> None:
        """Keep outputs of the block; one that is there already stays as it is.

        Raises:
            LeaseOverError: the block is another's, or its run is over.
        """
        query = "SELECT ragate_work.append(%s, %s, %s)"
        await self._called(query, lease.token, list(samples), list(lines))

    async def end(self, lease: Lease) -> None:
        """Say that every output of the block is there; raises as `append`, and one more.

        Raises:
            BlockNotDoneError: one is not there, or not any more.
        """
        await self._called("SELECT ragate_work.end_block(%s)", lease.token)

    async def give_back(self, lease: Lease, error: str, *, final: bool) -> None:
        """Say why the block was not done; raises as `append`.

        Args:
            final: No other worker will try it.
        """
        await self._called("SELECT ragate_work.give_back(%s, %s, %s)", lease.token, error, final)

    async def give_up(self, lease: Lease) -> None:
        """Say that this worker lives, though another got the block: it was not lost with it."""
        await self._called("SELECT ragate_work.give_back(%s, NULL, false)", lease.token)

    async def greet(self, lease: Lease, greeting: str) -> str:
        """Say what system this worker has; return what the first worker of the plan said."""
        query = "SELECT ragate_work.greet(%s, %s)"
        ((first,),) = await self._called(query, lease.token, greeting)
        return str(first)

    async def _called(self, query: str, *arguments: object) -> list[tuple[Any, ...]]:
        import psycopg

        try:
            return await self.queue.rows(query, *arguments)
        except psycopg.Error as error:
            raise _translated(error) from error


def _translated(error: psycopg.Error) -> Exception:
    state = error.sqlstate
    if state == "RG001":
        return PlanGoneError(
            "the plan of a run was deleted", remedy="`--resume` submits what is missing again"
        )
    if state in {"RG002", "RG003"}:
        return LeaseOverError("the block is another worker's, or its run is over")
    if state == "RG005":
        return BlockNotDoneError("the block is not done: an output of it is not there")
    if state == "RG004":
        return RagateError(f"the queue refused an output: {error}")
    return error
