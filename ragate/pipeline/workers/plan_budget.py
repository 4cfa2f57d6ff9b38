"""The policy's caps on a plan: held by the queue's database, for whoever works on it."""

from __future__ import annotations

import asyncio
import hashlib
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

from ragate.clients.budget import Budget
from ragate.clients.budget_line import BudgetLine
from ragate.clients.tally import Tally, read_tally
from ragate.config import Policy
from ragate.database.connecting import ALIVE
from ragate.database.schema import CONNECT_S
from ragate.errors import DatabaseError
from ragate.queue.engine import Queue
from ragate.stores.spent_calls import SpentBy, SpentCalls
from ragate.support.strict_json import loads

if TYPE_CHECKING:
    import psycopg

# What processes without workers spent is told as a whole each time, so that it counts once.
_OPEN = """
INSERT INTO ragate_trust.budgets AS b
    (plan, pool, max_calls, max_cost_usd, calls, cost_usd, alone_calls, alone_usd)
VALUES (%s, %s, %s, %s, %s, %s, %s, %s)
ON CONFLICT (plan) DO UPDATE SET opened = now(),
    max_calls = excluded.max_calls, max_cost_usd = excluded.max_cost_usd,
    calls = b.calls + greatest(excluded.alone_calls - b.alone_calls, 0),
    cost_usd = b.cost_usd + greatest(excluded.alone_usd - b.alone_usd, 0),
    alone_calls = greatest(excluded.alone_calls, b.alone_calls),
    alone_usd = greatest(excluded.alone_usd, b.alone_usd)
"""
# Of the queue's own: what is under way counts with the price that is expected of it.
_QUEUED = """
SELECT b.calls - b.alone_calls, (b.cost_usd + b.lost_usd - b.alone_usd + coalesce((
    SELECT sum(r.expected_usd) FROM ragate_trust.reservations r
    WHERE r.plan = b.plan AND NOT r.lost), 0))::float8
FROM ragate_trust.budgets b WHERE b.plan = %s
"""
_PACE = """
INSERT INTO ragate_trust.paces (pool, provider, per_minute) VALUES (%s, %s, %s)
ON CONFLICT (pool, provider) DO UPDATE SET per_minute = excluded.per_minute
"""
_NO_PACES = """
DELETE FROM ragate_trust.paces
WHERE pool = %s OR pool NOT IN (SELECT plan FROM ragate_trust.budgets)
"""
_KEPT_DAYS = 7


async def _open_budget(queue: Queue, plan: str, policy: Policy, spent: SpentCalls) -> str:
    """Give a plan its budget; return a token for the submitter's own calls.

    What a plan that goes on had spent stays spent, with workers or without. Budgets of plans that
    nobody went on with for a week are deleted.
    """
    await queue.rows(
        "DELETE FROM ragate_trust.budgets WHERE opened < now() - make_interval(days => %s)",
        _KEPT_DAYS,
    )
    if not await note_queued(queue, plan, spent):
        spent.leave_queue()
    alone = spent.total(SpentBy.ALONE)
    await queue.rows(_OPEN, plan, plan, policy.max_calls, policy.max_cost_usd, *alone, *alone)
    await queue.rows(_NO_PACES, plan)
    for name, provider in policy.providers.items():
        if provider.calls_per_minute:
            await queue.rows(_PACE, plan, name, provider.calls_per_minute)
    token = secrets.token_urlsafe(32)
    await queue.rows("SELECT ragate_trust.admit(%s, %s)", plan, token)
    return token


async def note_queued(queue: Queue, plan: str, spent: SpentCalls) -> bool:
    """Note beside a run what its plan's budget counts; return whether the plan has one."""
    found = await queue.rows(_QUEUED, plan)
    for calls, usd in found:
        spent.keep_queued(int(calls), float(usd))
    return bool(found)


async def close_budget(queue: Queue, plan: str) -> None:
    """Delete the budget of a plan: its run is over."""
    await queue.rows("DELETE FROM ragate_trust.budgets WHERE plan = %s", plan)
    await queue.rows("DELETE FROM ragate_trust.paces WHERE pool = %s", plan)


async def _others_tally(queue: Queue, plan: str, token: str) -> Tally:
    """Return what workers said that they spent on a plan.

    Args:
        token: The submitter's own, whose calls are not counted.
    """
    query = "SELECT tally FROM ragate_trust.sessions WHERE plan = %s AND token_hash <> %s"
    own = hashlib.sha256(token.encode()).digest()
    tally = Tally()
    for (told,) in await queue.rows(f"{query} AND tally IS NOT NULL", plan, own):
        with suppress(DatabaseError):
            read = loads(told.encode(), where="a worker's tally", error=DatabaseError)
            tally += read_tally(read if isinstance(read, dict) else {})
    return tally


@asynccontextmanager
async def budget_share(url: str, token: str, policy: Policy) -> AsyncIterator[BudgetLine]:
    """Yield a way to take from a plan's budget; nothing is connected before the first call.

    Args:
        token: Of one of the plan's blocks, or the submitter's.
    """

    def connect() -> psycopg.Connection[Any]:
        import psycopg

        return psycopg.connect(url, autocommit=True, connect_timeout=CONNECT_S, **ALIVE)

    caps = {"max_calls": policy.max_calls, "max_cost_usd": policy.max_cost_usd}
    line = BudgetLine(connect, token, caps)
    try:
        yield line
    finally:
        await asyncio.to_thread(line.close)


@asynccontextmanager
async def shared(
    queue: Queue, plan: str, policy: Policy, budget: Budget, spent: SpentCalls
) -> AsyncIterator[Callable[[], Awaitable[None]]]:
    """Let a process that submits a plan take from the plan's budget, as its workers do.

    Args:
        spent: What the run spent before it went on, as this machine knows it; what workers spend
            is noted there.

    Yields:
        What counts anew what the workers spent.
    """
    token = await _open_budget(queue, plan, policy, spent)

    async def count() -> None:
        budget.others = await _others_tally(queue, plan, token)
        await note_queued(queue, plan, spent)

    try:
        async with budget_share(queue.url, token, policy) as budget.share:
            yield count
    finally:
        budget.share = None
