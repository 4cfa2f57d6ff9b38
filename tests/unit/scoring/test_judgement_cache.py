"""Judgements are kept on the disk."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from ragate.cache import Cache
from ragate.errors import StorageError
from ragate.models import Score
from ragate.scoring.judgement_cache import CachedJudgements, CachedSteps


def test_scores_of_one_verdict_that_wait_at_once_are_all_written(tmp_path: Path) -> None:
    one, two = ({name: Score(metric=name, value=1.0)} for name in ("correctness", "relevancy"))
    key, other = "0123456789abcdef", "fedcba9876543210"

    async def run() -> set[str]:
        with Cache(tmp_path / "cache.sqlite") as cache:
            kept = CachedJudgements(cache, address="here")
            # The first write is under way while the others come.
            await asyncio.gather(kept.put(other, one), kept.put(key, one), kept.put(key, two))
            return set(CachedJudgements(cache, address="here").get(key) or {})

    assert asyncio.run(run()) == {"correctness", "relevancy"}


def test_what_could_not_be_written_is_written_with_the_next(tmp_path: Path) -> None:
    scores = {name: Score(metric=name, value=1.0) for name in ("correctness", "relevancy")}
    key = "0123456789abcdef"

    async def run() -> list[object]:
        with Cache(tmp_path / "cache.sqlite") as cache:
            kept, steps = CachedJudgements(cache), CachedSteps(cache)
            with pytest.MonkeyPatch.context() as patch:
                for name in ("put_judgements", "put_draws"):
                    patch.setattr(cache, name, full)
                with pytest.raises(StorageError):
                    await kept.put(key, {"correctness": scores["correctness"]})
                await steps.keep("one", "YES")
                with pytest.raises(StorageError):
                    await steps.trust()
            await kept.put(key, {"relevancy": scores["relevancy"]})
            await steps.flush()
            return [kept.get(key), await steps.get("one")]

    def full(*_: object) -> None:
        raise StorageError("the disk is full")

    assert asyncio.run(run()) == [scores, "YES"]
