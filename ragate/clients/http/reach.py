"""Whether a provider is there and takes the key: one request that no provider bills."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ragate.errors import ProviderError

if TYPE_CHECKING:
    from ragate.clients.http.transport import Transport

TIMEOUT_S = 5.0
PAUSES_S = (0.5, 1.5)  # a server that is just being started, or a name that is looked up again
_REFUSED = 401


async def reach(transport: Transport) -> None:
    """Ask for the list of models, and look at no more than the status.

    Not every server has that list, so that only what is certain counts: no connection, and a key
    that is refused.

    Raises:
        ProviderError: the server cannot be reached, or refuses the key.
    """
    for pause_s in (*PAUSES_S, 0.0):
        status, no_connection = await _status(transport)
        if not no_connection:
            break
        await asyncio.sleep(pause_s)
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


async def _status(transport: Transport) -> tuple[int, str]:
    """Return the status, 0 where none came, and why there was no connection, "" where one was."""
    import httpx

    key = transport.key.get_secret_value()
    headers = {"User-Agent": "ragate", **({"Authorization": f"Bearer {key}"} if key else {})}
    url = f"{transport.base_url.rstrip('/')}/models"
    async with httpx.AsyncClient(trust_env=False, timeout=TIMEOUT_S, headers=headers) as client:
        try:
            async with client.stream("GET", url) as response:
                return response.status_code, ""
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            return 0, " ".join(str(error).split()) or type(error).__name__
        except httpx.HTTPError:
            return 0, ""  # it is there, and what it makes of this question tells nothing
