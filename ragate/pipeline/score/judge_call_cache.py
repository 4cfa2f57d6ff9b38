"""Replies on the way to a judgement, so that a chain that was cut off goes on where it stopped."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from ragate.cache import STEPS, Cache, Draw
from ragate.config import Config
from ragate.core.hashing import digest
from ragate.runtime.resources import Opened

_ASIDE: ContextVar[bool] = ContextVar("ragate-aside", default=False)


@contextmanager
def aside() -> Iterator[None]:
    """Take and keep nothing in the tasks that are begun inside: canaries are asked afresh."""
    token = _ASIDE.set(True)
    try:
        yield
    finally:
        _ASIDE.reset(token)


def cached_steps(config: Config, opened: Opened) -> CachedSteps:
    """Return what remembers the replies to the policy's judge."""
    judge = config.policy.judge
    return CachedSteps(
        opened.cache, address=config.policy.address(judge.provider) if judge is not None else ""
    )


class CachedSteps:
    """Implements `ragate.protocols.Steps` by the cache.

    Replies reach the disk once the judge has got its canaries right: what one says who fails them
    must not outlive the run.

    Args:
        address: Where the judge's model is.
    """

    def __init__(self, cache: Cache, *, address: str = "") -> None:
        self._cache = cache
        self._address = address
        self._unwritten: dict[str, str] = {}
        self._trusted = False
        self._writing = asyncio.Lock()

    async def get(self, key: str) -> str | None:
        if _ASIDE.get():
            return None
        draw = await asyncio.to_thread(self._cache.draw, STEPS, self._at_server(key), 0)
        return None if draw is None else draw.text

    async def keep(self, key: str, text: str) -> None:
        if _ASIDE.get():
            return
        self._unwritten[self._at_server(key)] = text
        await self.flush()

    async def trust(self) -> None:
        """Write what was kept so far, and from now on at once."""
        self._trusted = True
        await self.flush()

    def _at_server(self, key: str) -> str:
        return digest([key, self._address])

    async def flush(self) -> None:
        """Write what may be written."""
        if not self._trusted:
            return
        # What arrives while one write is under way goes with the next.
        async with self._writing:
            texts, self._unwritten = self._unwritten, {}
            if texts:
                draws = {(STEPS, key, 0): Draw(text=text) for key, text in texts.items()}
                try:
                    await asyncio.to_thread(self._cache.put_draws, draws)
                except BaseException:
                    self._unwritten = {**texts, **self._unwritten}
                    raise
