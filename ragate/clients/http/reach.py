"""Whether a provider is there and takes the key: requests that no provider bills."""

from __future__ import annotations

import asyncio
import errno
import math
from typing import TYPE_CHECKING, NamedTuple

from ragate.clients.http.retry import LOADING, Course, FaultKind, Retry
from ragate.errors import ProviderError
from ragate.models.progress import CLOCK, Progress, Show

if TYPE_CHECKING:
    from ragate.clients.http.transport import Transport

TIMEOUT_S = 5.0
RETRY = Retry(tries=3, base_s=1.0)  # a name that is looked up again
LOOK_S = 0.5  # between two looks at a server that is starting
_PATIENCE = 10  # times as long: it says itself that it is going to be there
_REFUSED = 401


class _Seen(NamedTuple):
    """What a request brought.

    Attributes:
        status: 0 where none came.
        why: Why there was no connection, "" where one was.
        is_refused: Nobody listens there, or not yet.
    """

    status: int
    why: str = ""
    is_refused: bool = False


async def reach(transport: Transport, patience_s: float, show: Show) -> None:
    """Ask for the list of models, and look at no more than the status.

    Not every server has that list, so that only what is certain counts: no connection, and a key
    that is refused. One that is still starting is waited for.

    Args:
        patience_s, show: As of `started`.

    Raises:
        ProviderError: the server cannot be reached, refuses the key, or is not to get it.
    """
    course = Course(RETRY)
    while (seen := await _seen(transport, "/models")).why:
        is_over = seen.is_refused and not await started(transport, patience_s, show)
        wait = course.wait_after(FaultKind.FAILED)
        if is_over or wait is None:
            break
        await asyncio.sleep(wait)
    if seen.why:
        raise ProviderError(
            f"{transport.host} cannot be reached: {seen.why[:200]}",
            remedy="check base_url, and that the server runs and this machine may connect to it",
            fatal=True,
        )
    if seen.status == LOADING:
        await started(transport, patience_s, show)
    if seen.status == _REFUSED and transport.key.get_secret_value():
        raise ProviderError(
            f"{transport.host} refuses the key: HTTP {seen.status}",
            remedy="check the key of this provider: whole, of this account, and not expired",
            fatal=True,
            status=seen.status,
        )


async def is_there(transport: Transport) -> bool:
    """Return whether a server that lets calls wait answers the question for its models."""
    return (await _seen(transport, "/models")).status > 0


async def started(transport: Transport, patience_s: float, show: Show) -> bool:
    """Wait for a server that is still starting; return whether it was, and is there now.

    Args:
        patience_s: Seconds for one that refuses connections; one whose health page says that its
            model is loading gets ten times as many.
        show: Shows how long it is waited for, and for what.
    """
    loop = asyncio.get_running_loop()
    began, stage = loop.time(), ""
    while True:
        seen = await _seen(transport, "/health")
        if not (seen.is_refused or seen.status == LOADING):
            break
        does = "refuses connections" if seen.is_refused else "loads its model"
        most_s = patience_s * (1 if seen.is_refused else _PATIENCE)
        waited = loop.time() - began
        if waited >= most_s:
            return False
        stage = f"waiting for {transport.host}, which {does}"
        show(Progress(stage, int(waited), math.ceil(most_s), CLOCK))
        await asyncio.sleep(min(LOOK_S, most_s - waited))
    if stage:
        waited_s = math.ceil(loop.time() - began)
        show(Progress(stage, waited_s, waited_s, CLOCK))
    return bool(stage)


async def _seen(transport: Transport, path: str) -> _Seen:
    """Ask for one of the pages that cost nothing.

    Args:
        path: Below the API's address; ``/health`` is beside it.
    """
    import aiohttp

    from ragate.clients.http.session import provider_session

    try:
        headers = {"User-Agent": "ragate", **transport.authorization}
    except OSError as error:  # a name that is unknown
        return _Seen(0, str(error))
    base = transport.base_url.rstrip("/")
    url = f"{base.removesuffix('/v1') if path == '/health' else base}{path}"
    async with provider_session(
        transport.base_url, headers, connections=1, connect_s=TIMEOUT_S
    ) as session:
        try:
            async with (
                asyncio.timeout(2 * TIMEOUT_S),
                session.get(url, allow_redirects=False) as response,
            ):
                return _Seen(response.status)
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
            words = " ".join(str(error).split()) or type(error).__name__
            return _Seen(0, words, error.errno == errno.ECONNREFUSED)
        except (aiohttp.ClientError, OSError):
            return _Seen(0)  # it is there, and what it makes of this question tells nothing
