"""What may go wrong with one call, sorted: may it be made again, was it billed, what was said.

An exception of the package holds the request, its headers and the server's words, any of which may
repeat the key. So none of them leaves this module, not even as the cause of another.
"""

from __future__ import annotations

import asyncio
import datetime
import errno
from collections.abc import Awaitable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from ragate.clients.http.retry import LOADING, FaultKind, retry_after
from ragate.errors import TRANSIENT_STATUS

if TYPE_CHECKING:
    import openai

T = TypeVar("T")
_SPENT = frozenset({"insufficient_quota", "billing_hard_limit_reached"})
_CREDIT = "add credit to the account, or raise its limit"
_FINAL_URL = "set base_url to the final address: a redirect is not followed"
_REMEDIES = {
    401: "check the key of this provider",
    402: _CREDIT,
    403: "check the key of this provider, and what it may use",
    404: "check base_url (it usually ends in /v1) and the model's name",
}
_MOVED = range(300, 400)
_ALL_MODELS = frozenset({401, 402, *_MOVED})
_MODEL_ONLY = frozenset({403, 404})


class MalformedError(ValueError):
    """An answer that is not what the API promises."""


class CutOffError(Exception):
    """A connection that was cut in the middle of a reply."""


@dataclass(frozen=True)
class Fault:
    """A call that brought no answer.

    Attributes:
        kind: Why it may be made again; None: it may not.
        scope: What else the refusal holds for: ``request``, ``model`` or ``provider``.
        billed: The server may have worked for it.
        timed_out: No answer came in time, as of a server that is slow.
        may_start: As of a server that is still starting: it refuses connections, or says 503.
    """

    text: str
    kind: FaultKind | None = FaultKind.FAILED
    after: float | None = None
    status: int | None = None
    scope: str = "request"
    billed: bool = True
    remedy: str = ""
    timed_out: bool = False
    may_start: bool = False


async def outcome(call: Awaitable[T], *, timeout_s: float) -> T | Fault:
    """Return what the call brings, or what went wrong; only a cancellation is raised."""
    import openai

    try:
        async with asyncio.timeout(timeout_s):
            return await call
    except (TimeoutError, openai.APITimeoutError):
        return Fault(f"no answer within {timeout_s:.3g} s", timed_out=True)
    except openai.APIStatusError as error:
        return _status(error)
    except openai.APIConnectionError as error:
        return _connection(error)
    except CutOffError as error:  # openai 3 passes on what is not its own; 2 wraps it
        return _cut_off(error)
    except (openai.OpenAIError, ValueError, RecursionError) as error:
        return Fault(f"sent a reply that cannot be read: {error}", kind=FaultKind.MALFORMED)


def _cut_off(error: CutOffError) -> Fault:
    return Fault(f"broke off: {error}")


def _connection(error: openai.APIConnectionError) -> Fault:
    from ragate.clients.http.openai_http import httpx

    cause = error.__cause__
    if isinstance(cause, CutOffError):
        return _cut_off(cause)
    if isinstance(cause, MalformedError):
        return Fault(f"sent a reply that cannot be read: {cause}", kind=FaultKind.MALFORMED)
    sent = not isinstance(cause, httpx.ConnectError | httpx.ConnectTimeout)
    is_refused = getattr(cause and cause.__cause__, "errno", None) == errno.ECONNREFUSED
    return Fault(f"cannot be reached: {cause or error}", billed=sent, may_start=is_refused)


def _status(error: openai.APIStatusError) -> Fault:
    after = error.response.headers.get("retry-after")
    words = said_in(error.body if isinstance(error.body, dict) else None)
    return status_fault(error.status_code, code=error.code, said=words, after=after)


def status_fault(status: int, *, code: str | None, said: str, after: str | None) -> Fault:
    """Return the fault of an answer with a status of failure.

    Args:
        code: The API's own word for it, where it sends one.
        said: The server's words.
        after: Its Retry-After header.
    """
    # What a server says about a wrong key often holds the key.
    text = f"HTTP {status}" if status in (401, 403) else f"HTTP {status}: {said}"
    if code in _SPENT:
        return Fault(text, kind=None, status=status, scope="provider", billed=False, remedy=_CREDIT)
    if status in TRANSIENT_STATUS or status >= 500:
        now = datetime.datetime.now(datetime.UTC)
        wait = retry_after(after, now=now)
        kind = FaultKind.REJECTED if status == 429 else FaultKind.FAILED
        return Fault(
            text,
            kind=kind,
            after=wait,
            status=status,
            billed=status >= 500,
            may_start=status == LOADING,
        )
    whole = status in _ALL_MODELS
    scope = "model" if status in _MODEL_ONLY else "provider" if whole else "request"
    remedy = _FINAL_URL if status in _MOVED else _REMEDIES.get(status, "")
    return Fault(text, kind=None, status=status, scope=scope, billed=False, remedy=remedy)


def said_in(error: Any) -> str:
    """Return the server's own words, where it sent JSON; a page of HTML tells nobody anything."""
    if isinstance(error, dict):
        return str(error.get("message") or error)[:2000]
    return str(error)[:2000] if error else "no explanation"
