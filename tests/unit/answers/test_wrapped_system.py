"""A wrapped system tells everything that the one in it tells."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from ragate.answers.wrapped_system import WrappedSystem
from ragate.models import Sample, SystemInfo, SystemOutput
from ragate.protocols import SystemAbilities, system_abilities


class Plain:
    info = SystemInfo(use="own", fingerprint="f")
    max_runs = 3

    def __init__(self) -> None:
        self.rebuilt = False

    async def prepare(self, *, rebuild: bool = False) -> None:
        self.rebuilt = rebuild

    async def documents(self) -> frozenset[str] | None:
        return frozenset({"a.md"})

    async def answer(self, sample: Sample, *, run: int = 0) -> SystemOutput:
        return SystemOutput(answer=f"{sample.query} {run}")


class Full(Plain):
    max_concurrency = 2
    identifies_state = True
    reads_date = True


def test_what_every_system_has_is_that_of_the_one_in_it():
    async def told() -> Any:
        inner = Plain()
        wrapped = WrappedSystem(inner)
        await wrapped.prepare(rebuild=True)
        output = await wrapped.answer(Sample(id="s", query="why?"), run=1)
        return wrapped.info, wrapped.max_runs, inner.rebuilt, await wrapped.documents(), output

    info, runs, rebuilt, documents, output = asyncio.run(told())

    assert (info, runs, rebuilt, documents) == (Plain.info, 3, True, frozenset({"a.md"}))
    assert output.answer == "why? 1"


@pytest.mark.parametrize("depth", [1, 2])
def test_what_a_system_may_have_as_well_is_told_through_every_wrapper(depth):
    plain: Any = Plain()
    full: Any = Full()
    for _ in range(depth):
        plain, full = WrappedSystem(plain), WrappedSystem(full)

    assert system_abilities(full) == SystemAbilities(2, True, True)
    assert system_abilities(plain) == SystemAbilities()
