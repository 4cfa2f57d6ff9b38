"""Replies on the way to a judgement are kept."""

from __future__ import annotations

import asyncio
from pathlib import Path

from ragate.cache import Cache
from ragate.pipeline.score.judgement_cache import CachedSteps, aside


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
