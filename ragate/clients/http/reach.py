"""Whether a provider is there and takes the key: one request that no provider bills."""

from __future__ import annotations

import asyncio

from ragate.clients.http.retry import Course, FaultKind, Retry
from ragate.clients.http.transport import Transport
from ragate.errors import ProviderError

TIMEOUT_S = 5.0
# A server that is just being started, or a name that is looked up again.
RETRY = Retry(tries=3, base_s=1.0)
_REFUSED = 401


async def reach(transport: Transport) -> None:
    """Ask for the list of models, and look at no more than the status.

    Not every server has that list, so that only what is certain counts: no connection, and a key
    that is refused.

    Raises:
        ProviderError: the server cannot be reached, refuses the key, or is not to get it.
    """
    course = Course(RETRY)
    while (seen := await _status(transport))[1]:
        wait = course.wait_after(FaultKind.FAILED)
        if wait is None:
            break
        await asyncio.sleep(wait)
    status, no_connection = seen
    if no_connection:
        raise ProviderError(
            f"{transport.host} cannot be reached: {no_connection[:200]}",
            remedy="check base_url, and that the server runs and this machine may connect to it",
            fatal=True,
        )
    if status == _REFUSED and transport.key.get_secret_value():
        raise ProviderError(
            f"{transport.host} refuses the key: HTTP {status}",
            remedy="check the key of this provider: whole, of this account, and not expired",
            fatal=True,
            status=status,
        )


async def is_there(transport: Transport) -> bool:
    """Return whether a server that lets calls wait answers the question for its models."""
    status, _ = await _status(transport)
    return status > 0


async def _status(transport: Transport) -> tuple[int, str]:
    """Return the status, 0 where none came, and why there was no connection, "" where one was."""
    import aiohttp

    from ragate.clients.http.session import provider_session

    try:
        headers = {"User-Agent": "ragate", **transport.authorization}
    except OSError as error:  # a name that is unknown
        return 0, str(error)
    url = f"{transport.base_url.rstrip('/')}/models"
    async with provider_session(
        transport.base_url, headers, connections=1, connect_s=TIMEOUT_S
    ) as session:
        try:
            async with (
                asyncio.timeout(2 * TIMEOUT_S),
                session.get(url, allow_redirects=False) as response,
            ):
                return response.status, ""
        except (aiohttp.ClientConnectorError, aiohttp.ConnectionTimeoutError) as error:
            return 0, " ".join(str(error).split()) or type(error).__name__
        except (aiohttp.ClientError, OSError):
            return 0, ""  # it is there, and what it makes of this question tells nothing
