"""Whose time it was that a sample ran out of: the system's, or a model provider's."""

from __future__ import annotations

import asyncio

import pytest

from ragate.errors import BudgetError, SystemStartError
from tests.unit.pipeline.run.timed_systems import asked, kind, waits


def test_a_system_that_swallows_the_end_of_its_time_has_no_output():
    async def work() -> None:
        try:
            await waits(0.0, 60.0)
        except asyncio.CancelledError:
            return

    (output,) = asked(work)

    assert kind(output) == "provider"


def test_a_cap_that_is_reached_when_time_is_up_still_ends_the_run():
    async def work() -> None:
        try:
            await asyncio.sleep(60.0)
        except asyncio.CancelledError:
            raise BudgetError("a cap is reached") from None

    with pytest.raises(BudgetError):
        asked(work)


def test_a_system_that_cannot_be_started_again_has_no_output():
    async def work() -> None:
        raise SystemStartError("[system] command: 'rag' cannot be started: Too many open files")

    (output,) = asked(work)

    assert kind(output) == "provider"
