"""Servers whose replies are too large."""

from __future__ import annotations

import asyncio
import tracemalloc
from collections.abc import Callable, Coroutine
from typing import Any

import pytest

from ragate.clients.http.retry import Retry
from ragate.errors import ProviderError

MEGABYTE = 1024**2


SLACK = 8 * MEGABYTE  # of memory, beside the reply
# What the sockets between the two hold, which grow where the reader has no turn; a reply has 200.
SOCKETS = 40 * MEGABYTE


async def no_pause(_seconds: float) -> None:
    return


RETRY = Retry(sleep=no_pause)


def refused(main: Callable[[], Coroutine[Any, Any, None]]) -> tuple[ProviderError, int]:
    tracemalloc.start()
    try:
        with pytest.raises(ProviderError) as caught:
            asyncio.run(main())
        return caught.value, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
