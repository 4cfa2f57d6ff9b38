"""Replies on the way to a judgement are kept."""

from __future__ import annotations

import asyncio
from pathlib import Path

from ragate.cache import Cache
from ragate.clients.memoised import request_key
from ragate.protocols import ChatReply, ChatRequest
from ragate.scoring.judgement_cache import CachedSteps, aside, reply_key


def test_replies_on_the_way_to_a_verdict_are_kept_once_the_judge_is_trusted(
    tmp_path: Path,
) -> None:
    async def run() -> list[str | None]:
        with Cache(tmp_path / "cache.sqlite") as cache:
            steps, other = CachedSteps(cache, address="here"), CachedSteps(cache, address="there")
            with aside():
                await asyncio.create_task(steps.keep("canary", "YES"))
            await steps.keep("one", "NO")
            before = await steps.get("one")
            await steps.trust()
            await steps.keep("two", "YES")
            with aside():
                hidden = await asyncio.create_task(steps.get("one"))
            found = [await steps.get(key) for key in ("one", "two", "canary")]
            elsewhere = await other.get("one")
            cache.clear(["verdicts"])
            return [before, hidden, *found, elsewhere, await steps.get("two")]

    assert asyncio.run(run()) == [None, None, "NO", "YES", None, None, None]


def test_a_reply_is_kept_to_be_shown_and_taken_in_place_of_no_call(tmp_path: Path) -> None:
    async def answer(request: ChatRequest, *, draw: int = 0) -> ChatReply:
        return ChatReply(text=f"reply to {request.messages[-1][1]}")

    def asked(question: str) -> ChatRequest:
        return ChatRequest(model="m", messages=(("user", question),))

    async def run() -> list[str | None]:
        with Cache(tmp_path / "cache.sqlite") as cache:
            steps = CachedSteps(cache)
            client = steps.client(answer)
            await steps.trust()
            with aside():
                await asyncio.create_task(client(asked("canary")))
            for number in range(100):
                await client(asked(str(number)))
            keys = [*map(reply_key, map(asked, ("7", "canary")))]
            return [await steps.get(key) for key in (*keys, request_key(asked("7")))]

    assert asyncio.run(run()) == ["reply to 7", None, None]
