"""Who asked what: the requests of each sample, as far as that can be told."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import unquote

from ragate.clients.provider_clock import ProviderClock
from ragate.errors import BudgetError, NotReadyError
from ragate.models import Usage
from ragate.protocols import ChatReply


@dataclass
class Scope:
    """The requests of one asker: a sample in one pass, a command, or what belongs to no sample.

    Attributes:
        run: Which draw of every request it gets.
        counts: A request that is repeated gets another answer; else the same.
        keys: Identities of the requests that were answered.
        pending: Identities of the requests that may not be forwarded.
        failed: By identity, why the provider gave no answer.
        stopped: A cap of the policy was reached, or what an answer needs cannot be had.
        shared: A request came that may have been its own or another sample's.
        clock: Counts the time that its requests are under way.
        given_up: Requests, whichever their draw, that the asker left before any answer came.
        under_way: How many requests wait for an answer.
    """

    run: int = 0
    counts: bool = True
    keys: list[str] = field(default_factory=list)
    pending: set[str] = field(default_factory=set)
    failed: dict[str, str] = field(default_factory=dict)
    stopped: BudgetError | NotReadyError | None = None
    shared: bool = False
    usage: Usage = field(default_factory=Usage)
    clock: ProviderClock = field(default_factory=ProviderClock)
    given_up: set[str] = field(default_factory=set)
    under_way: int = 0
    _heard: set[str] = field(default_factory=set)
    _taken: dict[str, set[int]] = field(default_factory=dict)

    def take(self, key: str) -> int:
        """Return how often `key` was asked before."""
        if not self.counts:
            return 0
        taken = self._taken.setdefault(key, set())
        number = next(n for n in range(len(taken) + 1) if n not in taken)
        taken.add(number)
        return number

    def give_back(self, key: str, number: int) -> None:
        """Note that the answer never arrived: the caller may ask again for the same one."""
        self._taken.get(key, set()).discard(number)

    @contextmanager
    def waiting(self, request: str) -> Iterator[None]:
        """Count the time of one request; `request` names it, whichever its draw."""
        self.under_way += 1
        try:
            with self.clock.waiting():
                yield
        except asyncio.CancelledError:
            if request not in self._heard:
                self.given_up.add(request)
            raise
        finally:
            self.under_way -= 1

    def heard(self, request: str) -> None:
        """Note that words of an answer came: whoever leaves now does so at will."""
        self._heard.add(request)
        self.given_up.discard(request)

    def unanswered(self, key: str) -> None:
        """Take an answer back; what it cost was spent."""
        self.keys.remove(key)

    def answered(self, key: str, reply: ChatReply) -> None:
        """Note one answer."""
        self.keys.append(key)
        self.failed.pop(key, None)
        fresh = not reply.reused
        costs = [cost for cost in (self.usage.cost_usd, reply.cost_usd) if cost is not None]
        self.usage = Usage(
            calls=self.usage.calls + fresh,
            prompt_tokens=self.usage.prompt_tokens + reply.prompt_tokens,
            completion_tokens=self.usage.completion_tokens + reply.completion_tokens,
            cost_usd=sum(costs) if costs else None,
        )


class Ledger:
    """The askers that are open; used from the server's thread and from the pipeline's."""

    def __init__(self, *, counts: bool = False) -> None:
        self.outside = Scope(counts=counts)
        self._open: dict[str, Scope] = {}
        self._lock = threading.Lock()

    @contextmanager
    def sample(
        self, sample_id: str, run: int, *, clock: ProviderClock | None = None
    ) -> Iterator[Scope]:
        """Attribute to a sample what is asked meanwhile, and to `clock` the time it takes."""
        scope = Scope(run=run, clock=clock or ProviderClock())
        with self._lock:
            self._open[sample_id] = scope
        try:
            yield scope
        finally:
            with self._lock:
                if self._open.get(sample_id) is scope:
                    del self._open[sample_id]

    def scopes(self, sample_id: str) -> list[Scope]:
        """Return whose a request is, `outside` if no sample's; several where it cannot be told.

        Args:
            sample_id: As the request's header says, percent-encoded or not; "" where it has none.
        """
        with self._lock:
            scope = self._open.get(sample_id) or self._open.get(unquote(sample_id))
            if scope is not None:
                return [scope]
            if sample_id:
                return [self.outside]  # of a sample that ran out of time, say
            several = list(self._open.values())
            if len(several) > 1:
                for scope in several:
                    scope.shared = True
            return several or [self.outside]
