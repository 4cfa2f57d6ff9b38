"""What the recorder passes on is bounded."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import SecretStr

from ragate.clients.channel import Channel
from ragate.contrib.recorder.proxy.request_identity import Endpoint, Request
from ragate.contrib.recorder.proxy.upstream import DirectTransport, Upstream
from ragate.errors import ProviderError
from tests.integration.reply_sizes import MEGABYTE, RETRY, SLACK, refused
from tests.servers.oversized import Oversized, bomb, oversized_server

pytestmark = pytest.mark.integration


def recorded(server: Oversized, request: Request, *, streamed: bool) -> tuple[ProviderError, int]:
    async def main() -> None:
        upstream = Upstream(
            Channel(
                DirectTransport(server.base_url, SecretStr("")),
                timeout_s=60.0,
                deadline_s=120.0,
                concurrency=1,
                retry=RETRY,
            )
        )

        async def send(_event: dict[str, Any]) -> None:
            return

        try:
            await (upstream.stream(request, send) if streamed else upstream.ask(request))
        finally:
            await upstream.aclose()

    return refused(main)


@pytest.mark.parametrize("packed", [False, True])
@pytest.mark.parametrize("streamed", [False, True])
def test_what_the_recorder_passes_on_is_bounded_too(packed: bool, streamed: bool):
    body = {"model": "m", "messages": [{"role": "user", "content": "?"}], "stream": streamed}
    state = Oversized(packed=bomb()) if packed else Oversized()
    with oversized_server(state) as server:
        error, peak = recorded(server, Request(Endpoint.CHAT, body), streamed=streamed)

    assert "larger than" in str(error)
    assert server.sent < 3 * (32 * MEGABYTE + SLACK)
    assert peak < 4 * 32 * MEGABYTE
