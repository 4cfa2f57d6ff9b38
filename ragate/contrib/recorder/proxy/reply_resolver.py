"""From a request to its reply: known, forwarded, or pending; without HTTP."""

from __future__ import annotations

import threading
from collections.abc import Awaitable, Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from typing import Any

from ragate.clients.memoised import Memo
from ragate.contrib.recorder.proxy.request_identity import (
    NOT_RECORDED,
    Endpoint,
    ForeignModelError,
    PendingError,
    Request,
    UnansweredRequest,
)
from ragate.contrib.recorder.proxy.request_ledger import Ledger, Scope
from ragate.contrib.recorder.proxy.upstream import Send, Upstream
from ragate.contrib.recorder.replies import Replies
from ragate.errors import BudgetError, NotReadyError, ProviderError
from ragate.protocols import ChatReply


async def at_once() -> None:
    return


@dataclass
class ReplyResolver:
    """Gives every request its reply, and notes who asked.

    Attributes:
        provider: Its name in the policy: part of a request's identity.
        upstream: None where nothing may be forwarded.
        models: The models that may be asked for; empty: any.
        before: Is waited for before an answer is paid for.
        pend: Is told of every pending request, once.
        used: Every reply that was given, for the file of a recording.
        came: Whether there was any request.
    """

    provider: str
    memo: Memo
    ledger: Ledger
    upstream: Upstream | None
    models: Collection[str] = ()
    before: Callable[[], Awaitable[None]] = at_once
    pend: Callable[[UnansweredRequest], None] = lambda _pending: None
    used: Replies = field(default_factory=Replies)
    came: bool = False
    _pended: set[tuple[str, int]] = field(default_factory=set)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def pending(self) -> int:
        """How many requests got no reply."""
        return len(self._pended)

    @contextmanager
    def call(self, request: Request, sample_id: str) -> Iterator[PendingCall]:
        """Yield what answers one request; whoever leaves without the answer has not asked."""
        self.came = True
        scopes = self.ledger.scopes(sample_id)
        first = scopes[0]
        counted = len(scopes) == 1
        plain = request.key(self.provider)
        occurrence = first.take(plain) if counted else 0
        key = request.key(self.provider, occurrence)
        call = PendingCall(self, request, scopes, key, occurrence, plain)
        try:
            yield call
        finally:
            if not call.delivered:
                call.take_back()
                if counted:
                    first.give_back(plain, occurrence)

    def note_used(self, call: PendingCall, text: str) -> None:
        """Remember a reply that was given."""
        with self._lock:
            self.used.add(call.key, call.draw, call.request.model, text)

    def note_pending(self, call: PendingCall) -> None:
        """Count a pending request, and have it written down, once."""
        draw = (call.key, call.draw)
        with self._lock:
            if draw in self._pended:
                return
            self._pended.add(draw)
        self.pend(
            UnansweredRequest(call.key, call.draw, call.occurrence, self.provider, call.request)
        )


@dataclass
class PendingCall:
    """One request under way.

    Attributes:
        plain: Its key as if it were the first of its kind.
    """

    resolver: ReplyResolver
    request: Request
    scopes: list[Scope]
    key: str
    occurrence: int
    plain: str
    delivered: bool = False
    held: list[dict[str, Any]] | None = None
    _noted: ChatReply | None = None

    @property
    def draw(self) -> int:
        return self.scopes[0].run

    async def reply(self, send: Send | None = None) -> ChatReply:
        """Return the reply, whole.

        Args:
            send: Gets the parts of a fresh stream as they come; `held` are then the last ones, and
                None where nothing was streamed.

        Raises:
            PendingError, ForeignModelError, ProviderError, BudgetError, NotReadyError: noted for
                the sample, too.
        """
        try:
            with self._waiting():
                reply = await self.resolver.memo.draw(self.key, self.draw, lambda: self._ask(send))
        except PendingError:
            self.resolver.note_pending(self)
            for scope in self.scopes:
                scope.pending.add(self.key)
            raise
        except ForeignModelError as error:
            self.broken(error.message)
            raise
        except ProviderError as error:
            self._failed(error)
            raise
        except (BudgetError, NotReadyError) as error:
            for scope in self.scopes:
                scope.stopped = error
            raise
        self.resolver.note_used(self, reply.text)
        return reply

    def handing_over(self, reply: ChatReply) -> None:
        """Note the answer, before the caller has all of it: it may be done with the sample then."""
        self._noted = reply
        for scope in self.scopes:
            scope.heard(self.plain)
            scope.answered(self.key, reply)

    def take_back(self) -> None:
        """Forget an answer that the caller did not wait for."""
        if self._noted is not None:
            for scope in self.scopes:
                scope.unanswered(self.key)

    def broken(self, message: str) -> None:
        """Note why there is no answer, where the system is not to blame."""
        for scope in self.scopes:
            scope.failed[self.key] = message

    @contextmanager
    def _waiting(self) -> Iterator[None]:
        with ExitStack() as stack:
            for scope in self.scopes:
                stack.enter_context(scope.waiting(self.plain))
            yield

    def _heard(self, send: Send) -> Send:
        """Return `send` that notes for the sample that an answer has begun."""

        async def noted(event: dict[str, Any]) -> None:
            for scope in self.scopes:
                scope.heard(self.plain)
            await send(event)

        return noted

    def _failed(self, error: ProviderError) -> None:
        if error.status in (400, 413, 422):
            return  # the request was wrong, and that is the system's own failure
        self.broken(error.message)

    async def _ask(self, send: Send | None) -> ChatReply:
        resolver = self.resolver
        if resolver.models and self.request.model not in resolver.models:
            raise ForeignModelError(
                f"the model {self.request.model!r} is not in [policy.providers."
                f"{resolver.provider}] models"
            )
        if resolver.upstream is None:
            raise PendingError(NOT_RECORDED)
        if self.request.kind is not Endpoint.EMBEDDINGS:
            await resolver.before()
        if send is None:
            return await resolver.upstream.ask(self.request)
        reply, self.held = await resolver.upstream.stream(self.request, self._heard(send))
        return reply
