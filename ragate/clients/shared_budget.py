"""The budget that all workers of one plan share: kept by a server, asked before every call."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ragate.clients.budget import Budget, PlannedCall, cap_reached
from ragate.errors import DatabaseError

if TYPE_CHECKING:
    import psycopg

Connect = Callable[[], "psycopg.Connection[Any]"]
_MARGIN_S = 30.0  # from the end of a call until it has to be settled
_RESERVE = "SELECT reservation, wait_s, reached, used FROM ragate_trust.reserve(%s, %s, %s, %s)"


@dataclass
class SharedBudget(Budget):
    """One process's share of a plan's budget; `tally` counts what this process did.

    The server's rules stand in `ragate/database/trust/budget_sql.py`. What this process reserved
    when it is killed counts as spent once its lease is over.

    Attributes:
        connect: Opens a connection of its own to the server.
        token: Of the plan; shown to nobody.
    """

    connect: Connect = field(kw_only=True)
    token: str = field(kw_only=True, repr=False)
    # One thread: what is said of a call comes after its reservation, and no event loop waits.
    _line: ThreadPoolExecutor = field(
        default_factory=lambda: ThreadPoolExecutor(1, "ragate-budget"), repr=False
    )
    _connection: psycopg.Connection[Any] | None = field(default=None, repr=False)

    async def reserve(self, call: PlannedCall) -> int:
        """Take one call from what is left for all; waits for its turn and for the pace.

        Raises:
            BudgetError: a cap is reached.
            DatabaseError: the server is gone, or the plan is closed.
        """
        lease_s = call.seconds + _MARGIN_S
        while True:
            asked = self._line.submit(self._say, _RESERVE, call.provider, call.model, lease_s)
            try:
                claim, wait_s, cap, used = await asyncio.wrap_future(asked)
            except asyncio.CancelledError:
                asked.add_done_callback(self._forget)
                raise
            if cap:
                raise cap_reached(cap, getattr(self, cap), float(used))
            if claim is not None:
                break
            await asyncio.sleep(wait_s * random.uniform(0.75, 1.25))  # noqa: S311 - spreads them
        with self._lock:
            self._count(again=call.again)
        try:
            await asyncio.sleep(wait_s)
        except asyncio.CancelledError:
            self.give_back(claim=claim)
            raise
        return int(claim)

    def give_back(self, *, rejected: bool = False, claim: int = 0) -> None:
        """Take back a call that was not billed; `rejected`: it was one too many (429)."""
        super().give_back(rejected=rejected)
        self._line.submit(self._say, "SELECT ragate_trust.give_back(%s, %s)", claim)

    def settle(
        self,
        cost_usd: float | None,
        *,
        prompt_tokens: int = 0,
        completion_tokens: int = 0,
        claim: int = 0,
    ) -> None:
        """Add what an answered call cost; None where its price is not known."""
        super().settle(cost_usd, prompt_tokens=prompt_tokens, completion_tokens=completion_tokens)
        self._line.submit(self._say, "SELECT ragate_trust.settle(%s, %s, %s)", claim, cost_usd)

    def lost(self, *, rejected: bool = False, claim: int = 0) -> None:
        """Note that a call ended without an answer, and may be billed."""
        super().lost(rejected=rejected)
        self._line.submit(self._say, "SELECT ragate_trust.lose(%s, %s)", claim)

    def close(self) -> None:
        """Say what is still to be said, and close the connection."""
        self._line.shutdown(wait=True)
        if self._connection is not None:
            self._connection.close()

    def _forget(self, asked: Future[tuple[Any, ...]]) -> None:
        """Give back what was reserved for a call that is not wanted any more."""
        with suppress(Exception):
            if (claim := asked.result()[0]) is not None:
                self._line.submit(self._say, "SELECT ragate_trust.give_back(%s, %s)", claim)

    def _say(self, statement: str, *values: object) -> tuple[Any, ...]:
        """Run one function of the server; a connection that broke is opened again, once."""
        import psycopg

        for last in (False, True):
            try:
                if self._connection is None:
                    self._connection = self.connect()
                row = self._connection.execute(statement.encode(), (self.token, *values)).fetchone()
            except psycopg.OperationalError as error:
                if self._connection is not None:
                    self._connection.close()
                self._connection = None
                if last:
                    raise _unreachable(error) from error
            except psycopg.Error as error:
                raise _unreachable(error) from error
            else:
                return row or ()
        raise AssertionError


def _unreachable(error: psycopg.Error) -> DatabaseError:
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return DatabaseError(
        f"the budget that all workers share cannot be asked: {lines[0] if lines else error!r}",
        remedy="see that the server of RAGATE_QUEUE_URL runs and that the plan is open; what was "
        "finished is kept",
    )
