"""Systems and providers that take their time."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from ragate.answers.collected_outputs import ask
from ragate.clients.provider_clock import waiting_for_provider
from ragate.models import Sample, SystemInfo, SystemOutput
from tests.factories import sample_factory
from tests.unit.clients.virtual_time import run

SAID = SystemOutput(answer="It is so.")


@dataclass
class Scripted:
    """A system that does what a test says, and answers."""

    work: Callable[[], Awaitable[None]]
    info: SystemInfo = field(default_factory=lambda: SystemInfo(use="scripted"))
    max_runs: int | None = None

    async def prepare(self, *, rebuild: bool = False) -> None:
        return

    async def documents(self) -> frozenset[str] | None:
        return None

    async def answer(self, sample: Sample, *, run: int = 0) -> SystemOutput:
        await self.work()
        return SAID


def asked(*works: Callable[[], Awaitable[None]], limit_s: float = 10.0) -> list[SystemOutput]:
    """Return the outputs of samples that are asked at once, one for each work."""

    async def main() -> list[SystemOutput]:
        sample = sample_factory()
        return await asyncio.gather(
            *(ask(Scripted(work), sample, run=0, timeout_s=limit_s) for work in works)
        )

    return run(main())


def kind(output: SystemOutput) -> str:
    return output.error.kind if output.error else ""


async def waits(own_s: float, provider_s: float) -> None:
    await asyncio.sleep(own_s)
    with waiting_for_provider():
        await asyncio.sleep(provider_s)
