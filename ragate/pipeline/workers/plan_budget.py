"""The budget of a plan in the queue's database: opened, shared, counted and deleted."""

from __future__ import annotations

import asyncio
import hashlib
import json
import random
import secrets
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Mapping
from concurrent.futures import Future
from contextlib import asynccontextmanager, suppress
from dataclasses import asdict, dataclass, replace
from typing import Any, TypeVar

from ragate.clients.budget import Budget, PlannedCall, Tally, cap_reached, read_tally
from ragate.config import Policy
from ragate.errors import DatabaseError
from ragate.queue.engine import Queue
from ragate.stores.spent_calls import SpentBy, SpentCalls
from ragate.support.strict_json import loads

T = TypeVar("T")
_LEASE_MARGIN_S = 15.0  # from the end of a first call until another may be the first
_PAUSE_S = 0.2
_FAR_S = 2.5  # until a turn is asked for that was too far ahead
_SLACK = 1e-9
_BESIDE_OTHERS = 1.5  # times the dearest of its model: what a call under way counts with
_DRAW = """
SELECT calls, usd, usd_each, reached, used
FROM ragate_trust.draw(%s, %s, %s, %s, %s, %s, %s, %s)
"""
# What processes without workers spent is told as a whole each time, so that it counts once.
_OPEN = """
INSERT INTO ragate_trust.budgets AS b (plan, max_calls, max_cost_usd, alone_calls, alone_usd)
VALUES (%s, %s, %s, %s, %s)
ON CONFLICT (plan) DO UPDATE SET opened = now(),
    max_calls = excluded.max_calls, max_cost_usd = excluded.max_cost_usd,
    alone_calls = greatest(excluded.alone_calls, b.alone_calls),
    alone_usd = greatest(excluded.alone_usd, b.alone_usd)
"""
# What was given to shares: whether all of it was spent, nobody knows of a worker that was killed.
_QUEUED = """
SELECT coalesce(sum(s.calls), 0), coalesce(sum(s.usd), 0)::float8
FROM ragate_trust.budgets b LEFT JOIN ragate_trust.sessions s USING (plan)
WHERE b.plan = %s GROUP BY b.plan
"""
_PACE = "INSERT INTO ragate_trust.paces (plan, provider, per_minute) VALUES (%s, %s, %s)"
_MOST_USD = 1e9  # as the table says: no cap, `inf` in the policy
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
    most_usd = min(policy.max_cost_usd, _MOST_USD)
    await queue.rows(_OPEN, plan, policy.max_calls, most_usd, *alone)
    await queue.rows("DELETE FROM ragate_trust.paces WHERE plan = %s", plan)
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
async def budget_share(queue: Queue, token: str, policy: Policy) -> AsyncIterator[PlanShare]:
    """Yield a share of a plan's budget; nothing is drawn before the first call.

    Args:
        token: Of one of the plan's blocks, or the submitter's.
    """
    caps = {"max_calls": policy.max_calls, "max_cost_usd": policy.max_cost_usd}
    paced = {name for name, provider in policy.providers.items() if provider.calls_per_minute}
    share = PlanShare(queue, token, caps, paced=frozenset(paced))
    try:
        yield share
    finally:
        await share.close()


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
        async with budget_share(queue, token, policy) as budget.share:
            yield count
    finally:
        budget.share = None


# One process's share of its plan's budget: drawn from the queue's database, spent without it.


@dataclass(frozen=True)
class _Open:
    """A call that is under way, with what it may cost in US dollars."""

    model: str
    held: float


class PlanShare:
    """Implements `ragate.clients.budget.BudgetShare`; see `ragate.database.trust.budget_sql`.

    Calls may come from any event loop; the database is asked on the one that the share was made
    on. A call that the share does not cover draws more, or waits for those of this process that
    are under way: they mostly cost less than what is held for them.

    Args:
        queue: Where the budget is.
        token: Of the plan; shown to nobody.
        caps: `max_calls` and `max_cost_usd` of the policy, for the message when one is reached.
        paced: Providers with a pace.
    """

    def __init__(
        self, queue: Queue, token: str, caps: Mapping[str, float], *, paced: frozenset[str]
    ) -> None:
        self._queue = queue
        self._token = token
        self._caps = caps
        self._paced = paced
        self._loop = asyncio.get_running_loop()
        self._turn = asyncio.Lock()
        self._lock = threading.Lock()
        self._given_calls, self._given_usd = 0, 0.0
        self._calls, self._usd = 0, 0.0
        self._open: dict[int, _Open] = {}
        self._last = 0
        self._dearest: dict[str, float] = {}
        self._first: set[str] = set()  # models whose first call is ours
        self._telling: set[Future[Any]] = set()
        self._told = Tally()

    async def reserve(self, call: PlannedCall) -> int:
        """Take one call; waits for its turn, and for the pace of its provider.

        Raises:
            BudgetError: a cap is reached.
            DatabaseError: the database did not come back, or the plan is closed.
        """
        while not (claim := self._take(call.model)):
            if not await self._asked(self._drawn(call)):
                await asyncio.sleep(_PAUSE_S * random.uniform(0.75, 1.25))  # noqa: S311
        try:
            await self._own_turn(call)
        except BaseException:
            self.give_back(claim)
            raise
        return claim

    def give_back(self, claim: int) -> None:
        """Take back a call that was not billed."""
        self._ended(claim, None, calls=0)

    def settle(self, claim: int, cost_usd: float | None) -> None:
        """Count what an answered call cost; None where its price is not known."""
        self._ended(claim, cost_usd or 0.0, calls=1)

    def lost(self, claim: int) -> None:
        """Count a call that ended without an answer, and may be billed, as the dearest."""
        self._ended(claim, None, calls=1)

    async def tell(self, tally: Tally) -> None:
        """Say what this process has spent in all, for the report of whoever submitted the plan.

        Raises:
            DatabaseError: the database did not come back.
        """
        if tally != self._told:
            said = json.dumps(asdict(tally))
            await self._asked(self._rows("SELECT ragate_trust.tell(%s, %s)", said))
            self._told = tally

    async def close(self) -> None:
        """Wait until what was said of prices has arrived, or cannot."""
        waiting = [asyncio.wrap_future(each) for each in list(self._telling)]
        await asyncio.gather(*waiting, return_exceptions=True)

    def _take(self, model: str) -> int:
        """Return a claim where the share covers one more call, else 0."""
        with self._lock:
            if not self._covers(model):
                return 0
            self._first.discard(model)
            self._last += 1
            self._open[self._last] = _Open(model, self._needs(model))
            return self._last

    def _covers(self, model: str) -> bool:
        if model not in self._dearest and model not in self._first:
            return False
        calls, usd = self._calls + len(self._open) + 1, self._usd + self._held()
        enough = usd + self._needs(model) <= self._given_usd + _SLACK
        return enough and calls <= self._given_calls

    def _needs(self, model: str) -> float:
        """Return the US dollars that one more call of a model is taken to cost, at most."""
        return self._dearest.get(model, 0.0) * (_BESIDE_OTHERS if self._open else 1.0)

    def _held(self) -> float:
        return sum(each.held for each in self._open.values())

    def _ended(self, claim: int, cost_usd: float | None, *, calls: int) -> None:
        with self._lock:
            done = self._open.pop(claim, None)
            if done is None:
                return
            dearest = self._dearest.get(done.model)
            self._calls += calls
            self._usd += calls * ((dearest or 0.0) if cost_usd is None else cost_usd)
            dearer = cost_usd is not None and (dearest is None or cost_usd > dearest)
            if cost_usd is not None and dearer:
                self._dearest[done.model] = cost_usd
        if dearer or dearest is None:
            query = "SELECT ragate_trust.price(%s, %s, %s)"
            telling = self._run(self._rows(query, done.model, cost_usd))
            self._telling.add(telling)
            telling.add_done_callback(self._telling.discard)

    async def _drawn(self, call: PlannedCall) -> bool:
        """Draw what one more call needs; return False where others come first.

        Raises:
            BudgetError: a cap is reached, and no call under way can change that.
        """
        async with self._turn:
            with self._lock:
                if self._covers(call.model):  # another call has drawn enough
                    return True
                state = (self._calls, self._usd, len(self._open), self._held())
                asked = (call.seconds + _LEASE_MARGIN_S, *state, self._dearest.get(call.model))
            # Not all of a sample's time: it would end as an outage of its provider.
            patience_s = min(self._queue.patience_s, call.seconds / 2)
            drawn = await self._rows(_DRAW, call.model, *asked, patience_s=patience_s)
            ((calls, usd, price, reached, used),) = drawn
            if reached == "first":
                return False
            with self._lock:
                self._given_calls, self._given_usd = calls, usd
                if price is not None:
                    self._dearest[call.model] = max(price, self._dearest.get(call.model, 0.0))
                elif reached is None:
                    self._first.add(call.model)
        if reached is None:
            return True
        if not state[2]:
            raise cap_reached(reached, self._caps[reached], float(used))
        return False

    async def _own_turn(self, call: PlannedCall) -> None:
        """Wait for the pace of the call's provider."""
        wait_s: float | None = 0.0 if call.provider not in self._paced else None
        while wait_s is None:
            asked = self._rows("SELECT ragate_trust.turn(%s, %s)", call.provider)
            ((wait_s,),) = await self._asked(asked)
            if wait_s is None:
                await asyncio.sleep(_FAR_S * random.uniform(0.75, 1.25))  # noqa: S311
        await asyncio.sleep(wait_s)

    async def _asked(self, asking: Coroutine[Any, Any, T]) -> T:
        """Return what comes of `asking`, which goes on where nobody waits for it any more."""
        return await asyncio.shield(asyncio.wrap_future(self._run(asking)))

    def _run(self, asking: Coroutine[Any, Any, T]) -> Future[T]:
        return asyncio.run_coroutine_threadsafe(asking, self._loop)

    async def _rows(
        self, query: str, *values: object, patience_s: float | None = None
    ) -> list[tuple[Any, ...]]:
        """Return what a function of the budget answers.

        Raises:
            DatabaseError: the database did not come back, or refuses.
        """
        import psycopg

        queue = self._queue if patience_s is None else replace(self._queue, patience_s=patience_s)
        try:
            return await queue.rows(query, self._token, *values)
        except (DatabaseError, psycopg.Error) as error:
            told = error.message if isinstance(error, DatabaseError) else str(error)
            raise DatabaseError(
                f"the budget that all workers share cannot be asked: {told.splitlines()[0]}",
                remedy="see that the server of RAGATE_QUEUE_URL runs and that the plan is open; "
                "what was finished is kept",
            ) from error
