"""The policy's caps on a plan: held by the queue's database, for whoever works on it."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Any

from ragate.clients.budget_line import BudgetLine
from ragate.config import Policy
from ragate.database.schema import CONNECT_S
from ragate.queue.engine import Queue

if TYPE_CHECKING:
    import psycopg

_OPEN = """
INSERT INTO ragate_trust.budgets (plan, pool, max_calls, max_cost_usd) VALUES (%s, %s, %s, %s)
ON CONFLICT (plan) DO UPDATE SET calls = 0, cost_usd = 0, lost_usd = 0, opened = now(),
    max_calls = excluded.max_calls, max_cost_usd = excluded.max_cost_usd
"""
_PACE = """
INSERT INTO ragate_trust.paces (pool, provider, per_minute) VALUES (%s, %s, %s)
ON CONFLICT (pool, provider) DO UPDATE SET per_minute = excluded.per_minute
"""
_KEPT_DAYS = 7


async def open_budget(queue: Queue, plan: str, policy: Policy) -> str:
    """Give a plan its budget, nothing of it spent; return a token for the submitter's own calls.

    Those of plans that nobody went on with for a week are deleted.
    """
    await queue.rows(
        "DELETE FROM ragate_trust.budgets WHERE opened < now() - make_interval(days => %s)",
        _KEPT_DAYS,
    )
    await queue.rows(_OPEN, plan, plan, policy.max_calls, policy.max_cost_usd)
    await queue.rows("DELETE FROM ragate_trust.paces WHERE pool = %s", plan)
    for name, provider in policy.providers.items():
        if provider.calls_per_minute:
            await queue.rows(_PACE, plan, name, provider.calls_per_minute)
    token = secrets.token_urlsafe(32)
    await queue.rows("SELECT ragate_trust.admit(%s, %s)", plan, token)
    return token


async def close_budget(queue: Queue, plan: str) -> None:
    """Delete the budget of a plan: its run is over."""
    await queue.rows("DELETE FROM ragate_trust.budgets WHERE plan = %s", plan)
    await queue.rows("DELETE FROM ragate_trust.paces WHERE pool = %s", plan)


@asynccontextmanager
async def budget_share(url: str, token: str, policy: Policy) -> AsyncIterator[BudgetLine]:
    """Yield a way to take from a plan's budget; nothing is connected before the first call.

    Args:
        token: Of one of the plan's blocks, or the submitter's.
    """

    def connect() -> psycopg.Connection[Any]:
        import psycopg

        return psycopg.connect(url, autocommit=True, connect_timeout=CONNECT_S)

    caps = {"max_calls": policy.max_calls, "max_cost_usd": policy.max_cost_usd}
    line = BudgetLine(connect, token, caps)
    try:
        yield line
    finally:
        await asyncio.to_thread(line.close)
