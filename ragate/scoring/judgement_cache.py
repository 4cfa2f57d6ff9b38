"""The cache of judgements, and of the replies on the way to one: they outlive the run."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import asdict

from ragate.cache import STEPS, Cache, Draw
from ragate.cache.store import kept_draw
from ragate.clients.memoised import request_key
from ragate.config import Config
from ragate.core.hashing import digest
from ragate.core.judging.canary_rule import CanaryResult
from ragate.judges import CUT
from ragate.models import Score, ScoreState
from ragate.protocols import ChatClient, ChatReply, ChatRequest, Judge, judge_abilities
from ragate.resources.resources import Opened
from ragate.version import __version__

_MOST_UNWRITTEN = 100  # replies that are kept to be shown, and need not be on the disk at once
_REMEMBERED_S = 24 * 3600.0  # so long a judge that passed its canaries is believed
_ASIDE: ContextVar[bool] = ContextVar("ragate-aside", default=False)
Judgement = Mapping[str, Score]


class CachedJudgements:
    """Judgements in the cache; a write is on the disk when `put` returns.

    What arrives while one write is under way goes with the next: a write costs much more than a
    row.

    Args:
        address: Where the judge's model is: what another server said under the same name is not
            taken.
    """

    def __init__(self, cache: Cache, *, address: str = "") -> None:
        self._cache = cache
        self._address = address
        self._unwritten: dict[str, Judgement] = {}
        self._writing = asyncio.Lock()

    @property
    def any(self) -> bool:
        """Return whether there is any judgement, of whichever judge."""
        return self._cache.info().rows["verdicts"] > 0

    def get(self, key: str) -> Judgement | None:
        """Return the scores by criterion, None where there are none."""
        at_server = self._at_server(key)
        return self._cache.judgements([at_server]).get(at_server)

    def turn(self, key: str, criteria: Sequence[str]) -> AbstractAsyncContextManager[None]:
        """Wait for another command that asks for the same scores, and let others wait inside."""
        return self._cache.turns.turn(digest([self._at_server(key), *criteria]))

    async def put(self, key: str, judgement: Judgement) -> None:
        """Keep the scores; unscored ones never are."""
        at_server = self._at_server(key)
        self._add(at_server, judgement)
        await self.flush(at_server)

    def _add(self, key: str, judgement: Judgement) -> None:
        # Its scores may come one by one, and two of them be waiting at once.
        self._unwritten[key] = {**self._unwritten.get(key, {}), **judgement}

    def _at_server(self, key: str) -> str:
        return digest([key, self._address]) if self._address else key

    async def flush(self, key: str = "") -> None:
        """Write what is still to be written; with a key only if that one is."""
        async with self._writing:
            if not self._unwritten or (key and key not in self._unwritten):
                return
            batch, self._unwritten = self._unwritten, {}
            try:
                await asyncio.to_thread(self._cache.put_judgements, batch)
            except BaseException:
                newer, self._unwritten = self._unwritten, batch  # others wait for it too
                for newer_key, judgement in newer.items():
                    self._add(newer_key, judgement)
                raise


def cached_judgements(config: Config, opened: Opened) -> CachedJudgements:
    """Return the cache's judgements of the policy's judge, as far as its server gave them."""
    return CachedJudgements(opened.cache, address=_address(config))


def _address(config: Config) -> str:
    judge = config.policy.judge
    return config.policy.address(judge.provider) if judge is not None else ""


def is_cut(judgement: Judgement) -> bool:
    """Return whether it is of a part of the contexts, as the judge's reasons say."""
    return any(CUT in score.reason for score in judgement.values())


def measured(judgement: Judgement) -> Judgement:
    """Return the scores that could be measured; no other is kept."""
    return {
        name: score for name, score in judgement.items() if score.state is not ScoreState.UNSCORED
    }


# Replies on the way to a judgement, so that a chain that was cut off goes on where it stopped.


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
    return CachedSteps(opened.cache, address=_address(config))


def reply_key(request: ChatRequest) -> str:
    """Return what a reply is shown by: no judge takes it in place of a call."""
    return request_key(request, provider="reply")


class CachedSteps:
    """Implements `ragate.protocols.Steps` by the cache.

    Steps reach the disk once the judge has got its canaries right: what one says who fails them
    must not be taken by a later run. Replies that are kept to be shown do in any case.

    Args:
        address: Where the judge's model is.
    """

    def __init__(self, cache: Cache, *, address: str = "") -> None:
        self._cache = cache
        self._address = address
        self._steps: dict[str, str] = {}
        self._shown: dict[str, str] = {}
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
        self._steps[self._at_server(key)] = text
        if self._trusted:
            await self.flush()

    async def sent_as(self, identity: str) -> str:
        """Return the fingerprint that a judge of `identity` had last, "" where it had no other."""
        key = self._at_server(digest(["sent as", identity]))
        draw = await asyncio.to_thread(self._cache.draw, STEPS, key, 0)
        return "" if draw is None else draw.text

    async def keep_sent_as(self, identity: str, fingerprint: str) -> None:
        """Remember the fingerprint of a judge whose server takes its parameters in its own way."""
        key = self._at_server(digest(["sent as", identity]))
        draws = {(STEPS, key, 0): Draw(text=fingerprint)}
        await asyncio.to_thread(self._cache.put_draws, draws)

    def passed(self, judge: Judge, criteria: Sequence[str]) -> list[CanaryResult]:
        """Return how an equal judge did on its canaries, where it passed them within a day."""
        kept = self._cache.draw(STEPS, self._canaries(judge, criteria), 0)
        said = {} if kept is None else json.loads(kept.text)
        if not 0.0 <= time.time() - said.get("at", -_REMEMBERED_S) < _REMEMBERED_S:
            return []
        return [CanaryResult(**result) for result in said["results"]]

    async def keep_passed(
        self, judge: Judge, criteria: Sequence[str], results: Sequence[CanaryResult]
    ) -> None:
        """Remember the canaries of a judge of which nothing is void."""
        text = json.dumps({"at": time.time(), "results": [asdict(one) for one in results]})
        draws = {(STEPS, self._canaries(judge, criteria), 0): Draw(text=text)}
        await asyncio.to_thread(self._cache.put_draws, draws)

    def _canaries(self, judge: Judge, criteria: Sequence[str]) -> str:
        known_as = judge_abilities(judge).identity or judge.fingerprint
        return self._at_server(digest(["canaries", __version__, known_as, sorted(criteria)]))

    def client(self, client: ChatClient) -> ChatClient:
        """Return a client whose replies are kept under their `reply_key`, to be shown later."""

        async def ask(request: ChatRequest, *, draw: int = 0) -> ChatReply:
            reply = await client(request, draw=draw)
            if not _ASIDE.get():
                self._shown[self._at_server(reply_key(request))] = reply.text
                if len(self._shown) >= _MOST_UNWRITTEN:
                    await self.flush()
            return reply

        return ask

    async def trust(self) -> None:
        """Write what was kept so far, and from now on at once."""
        self._trusted = True
        await self.flush()

    def _at_server(self, key: str) -> str:
        return digest([key, self._address])

    async def flush(self) -> None:
        """Write what may be written."""
        # What arrives while one write is under way goes with the next.
        async with self._writing:
            texts, self._shown = self._shown, {}
            if self._trusted:
                texts, self._steps = {**texts, **self._steps}, {}
            if texts:
                draws = {
                    (STEPS, key, 0): draw
                    for key, text in texts.items()
                    if (draw := kept_draw(text)) is not None
                }
                try:
                    await asyncio.to_thread(self._cache.put_draws, draws)
                except BaseException:
                    self._shown = {**texts, **self._shown}  # either is written with the next
                    raise
