"""Outputs of a block on their way to the queue."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from itertools import chain
from typing import Any, cast

import pytest

from ragate.errors import DatabaseError
from ragate.pipeline.workers import work as row_sender
from ragate.pipeline.workers.work import RowSender
from ragate.queue.leases import Lease, Leases

LEASE = Lease("token", "{}", 0, 0, ())


class Kept:
    """Stands for the queue: it takes its time, and notes what came together."""

    def __init__(self, *, fails: bool = False) -> None:
        self.batches: list[list[str]] = []
        self._fails = fails

    async def append(self, _lease: Lease, samples: Sequence[str], lines: Sequence[str]) -> None:
        await asyncio.sleep(0.01)
        if self._fails:
            raise DatabaseError("it is gone")
        assert [f"line of {sample}" for sample in samples] == list(lines)
        self.batches.append(list(samples))


def sent(kept: Kept, count: int) -> list[BaseException | None]:
    async def go() -> list[BaseException | None]:
        async with RowSender(cast(Leases, cast(Any, kept)), LEASE) as sender:
            sends = (sender.send(str(number), f"line of {number}") for number in range(count))
            return await asyncio.gather(*sends, return_exceptions=True)

    return asyncio.run(go())


def test_the_first_output_goes_at_once_and_those_that_came_meanwhile_go_together():
    kept = Kept()

    assert sent(kept, 9) == [None] * 9

    assert [*chain(*kept.batches)] == [str(number) for number in range(9)]
    assert len(kept.batches) <= 2


def test_whoever_sent_an_output_learns_that_it_was_not_kept():
    failures = sent(Kept(fails=True), 3)

    assert all(isinstance(failure, DatabaseError) for failure in failures)


def test_an_output_counts_as_sent_only_when_it_is_kept():
    async def go() -> None:
        kept = Kept()
        async with RowSender(cast(Leases, cast(Any, kept)), LEASE) as sender:
            sending = asyncio.create_task(sender.send("1", "line of 1"))
            await asyncio.sleep(0)
            assert not sending.done()
            await sending
            assert kept.batches == [["1"]]

    asyncio.run(go())


@pytest.mark.parametrize("count", [0, 1])
def test_a_sender_that_had_little_to_do_ends(count: int):
    assert sent(Kept(), count) == [None] * count


def test_who_is_told_to_end_does_not_wait_for_a_queue_that_is_gone(
    monkeypatch: pytest.MonkeyPatch,
):
    monkeypatch.setattr(row_sender, "HURRIED_S", 0.05)

    class Gone(Kept):
        async def append(self, *_arguments: object) -> None:
            await asyncio.sleep(60)

    async def block() -> None:
        async with RowSender(cast(Leases, cast(Any, Gone())), LEASE) as sender:
            await sender.send("1", "line of 1")

    async def go() -> None:
        task = asyncio.create_task(block())
        await asyncio.sleep(0.05)
        task.cancel()
        async with asyncio.timeout(50):
            await asyncio.wait([task])
        assert task.cancelled()

    asyncio.run(go())
