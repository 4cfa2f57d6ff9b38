"""The way to the budget that all workers of one plan share: a server, asked before every call."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Awaitable, Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, TypeVar

from ragate.clients.budget_share import PlannedCall, cap_reached
from ragate.clients.tally import Tally
from ragate.errors import DatabaseError

if TYPE_CHECKING:
    import psycopg

T = TypeVar("T")
Connect = Callable[[], "psycopg.Connection[Any]"]
_MARGIN_S = 15.0  # from the end of a call until it has to be settled
PATIENCE_S = 300.0  # for a server that is gone: as workers and runs wait for their queue
_PAUSE_S = 1.0
_RESERVE = "SELECT reservation, wait_s, reached, used FROM ragate_trust.reserve(%s, %s, %s, %s)"


class _OutageError(DatabaseError):
    """The server is gone, and may come back."""


class BudgetLine:
    """Implements `ragate.clients.budget_share.BudgetShare`; its rules stand in `database/trust`.

    What a process reserved when it is killed counts as spent once its lease is over.

    Args:
        connect: Opens a connection of its own to the server, in autocommit mode.
        token: Of the plan; shown to nobody.
        caps: `max_calls` and `max_cost_usd` of the policy, for the message when one is reached.
        patience_s: How long a server that is gone is waited for.
    """

    def __init__(
        self,
        connect: Connect,
        token: str,
        caps: Mapping[str, float],
        *,
        patience_s: float = PATIENCE_S,
    ) -> None:
        self._connect = connect
        self._token = token
        self._caps = caps
        self._patience_s = patience_s
        self._told = Tally()
        self._connection: psycopg.Connection[Any] | None = None
        # One thread: what is said of a call comes after its reservation, and no event loop waits.
        self._thread = ThreadPoolExecutor(1, "ragate-budget")

    async def reserve(self, call: PlannedCall) -> int:
        """Take one call from what is left for all; waits for its turn and for the pace.

        Raises:
            BudgetError: a cap is reached.
            DatabaseError: the server did not come back, or the plan is closed.
        """
        lease_s = call.seconds + _MARGIN_S

        async def ask() -> tuple[Any, ...]:
            asked = self._thread.submit(self._say, _RESERVE, call.provider, call.model, lease_s)
            try:
                return await asyncio.wrap_future(asked)
            except asyncio.CancelledError:
                asked.add_done_callback(self._forget)
                raise

        # Not all of a sample's time: it would end as an outage of its provider.
        patience_s = min(self._patience_s, call.seconds / 2)
        while True:
            claim, wait_s, cap, used = await self._patient(ask, patience_s)
            if cap:
                raise cap_reached(cap, self._caps[cap], float(used))
            if claim is not None:
                break
            await asyncio.sleep(wait_s * random.uniform(0.75, 1.25))  # noqa: S311 - spreads them
        try:
            await asyncio.sleep(wait_s)
        except asyncio.CancelledError:
            self.give_back(claim)
            raise
        return int(claim)

    def give_back(self, claim: int) -> None:
        """Take back a call that was not billed."""
        self._thread.submit(self._say, "SELECT ragate_trust.give_back(%s, %s)", claim)

    def settle(self, claim: int, cost_usd: float | None) -> None:
        """Say what an answered call cost; None where its price is not known."""
        self._thread.submit(self._say, "SELECT ragate_trust.settle(%s, %s, %s)", claim, cost_usd)

    def lost(self, claim: int) -> None:
        """Say that a call ended without an answer, and may be billed."""
        self._thread.submit(self._say, "SELECT ragate_trust.lose(%s, %s)", claim)

    async def tell(self, tally: Tally) -> None:
        """Say what this process has spent in all, for the report of whoever submitted the plan.

        Raises:
            DatabaseError: the server did not come back.
        """
        if tally == self._told:
            return
        said = json.dumps(asdict(tally))

        async def ask() -> tuple[Any, ...]:
            statement = "SELECT ragate_trust.tell(%s, %s)"
            return await asyncio.wrap_future(self._thread.submit(self._say, statement, said))

        await self._patient(ask, self._patience_s)
        self._told = tally

    def close(self) -> None:
        """Say what is still to be said, and close the connection."""
        self._thread.shutdown(wait=True)
        if self._connection is not None:
            self._connection.close()

    async def _patient(self, ask: Callable[[], Awaitable[T]], patience_s: float) -> T:
        """Return what `ask` does; while the server is gone it is asked again."""
        until = time.monotonic() + patience_s
        while True:
            try:
                return await ask()
            except _OutageError:
                if time.monotonic() >= until:
                    raise
            await asyncio.sleep(_PAUSE_S)

    def _forget(self, asked: Future[tuple[Any, ...]]) -> None:
        """Give back what was reserved for a call that is not wanted any more."""
        with suppress(Exception):
            if (claim := asked.result()[0]) is not None:
                self.give_back(claim)

    def _say(self, statement: str, *values: object) -> tuple[Any, ...]:
        """Run one function of the server; a connection that broke is opened again, once."""
        import psycopg

        for last in (False, True):
            try:
                if self._connection is None:
                    self._connection = self._connect()
                found = self._connection.execute(statement.encode(), (self._token, *values))
                return found.fetchone() or ()
            except psycopg.OperationalError as error:
                if self._connection is not None:
                    self._connection.close()
                self._connection = None
                if last:
                    raise _unreachable(error, _OutageError) from error
            except psycopg.Error as error:
                raise _unreachable(error, DatabaseError) from error
        raise AssertionError


def _unreachable(error: psycopg.Error, kind: type[DatabaseError]) -> DatabaseError:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return kind(
        f"the budget that all workers share cannot be asked: {lines[0] if lines else error!r}",
        remedy="see that the server of RAGATE_QUEUE_URL runs and that the plan is open; what was "
        "finished is kept",
    )
