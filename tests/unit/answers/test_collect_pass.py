"""Whose time it was that a sample ran out of: the system's, or a model provider's."""

from __future__ import annotations

import asyncio

import pytest

from ragate.answers.collected_outputs import run_pass
from ragate.errors import BudgetError, ProviderError, SystemStartError
from ragate.models import Sample, SystemOutput
from tests.unit.answers.timed_systems import asked, kind, waits


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


class Unlucky:
    """A system whose provider fails the first times that a sample is asked."""

    concurrency = 1
    max_runs: int | None = None

    def __init__(self, failures: dict[str, int]) -> None:
        self.failures = dict(failures)
        self.calls: list[str] = []

    async def answer(self, sample: Sample, *, run: int) -> SystemOutput:
        del run
        self.calls.append(sample.id)
        self.failures[sample.id] = self.failures.get(sample.id, 0) - 1
        if self.failures[sample.id] >= 0:
            raise ProviderError("503")
        return SystemOutput(answer="Yes.")


def passed(system: Unlucky, *names: str) -> dict[str, str | None]:
    samples = [Sample(id=name, query=name) for name in names]
    run = run_pass(system, samples, run=0, concurrency=1, timeout_s=5.0)  # type: ignore[arg-type]
    return {name: output.answer for name, output in asyncio.run(run).items()}


def test_a_sample_to_which_a_provider_gave_nothing_is_asked_up_to_twice_more():
    system = Unlucky({"b": 2, "d": 3})

    assert passed(system, "a", "b", "c", "d") == {"a": "Yes.", "b": "Yes.", "c": "Yes.", "d": None}
    assert system.calls == ["a", "b", "b", "c", "d", "d", "b", "d"]


def test_an_outage_is_not_asked_three_times():
    system = Unlucky(dict.fromkeys("abcd", 9))

    passed(system, *"abcd")

    assert system.calls == [*"aabbccdd"]


def test_what_was_short_is_over_by_the_end_of_the_pass():
    system = Unlucky({"a": 2, "b": 2})
    lost: list[str] = []
    samples = [Sample(id=name, query=name) for name in "abcde"]

    run = run_pass(
        system,  # type: ignore[arg-type]
        samples,
        run=0,
        concurrency=2,
        timeout_s=5.0,
        on_lost=lambda sample, _output, _run: lost.append(sample.id),
    )
    outputs = asyncio.run(run)

    assert {output.answer for output in outputs.values()} == {"Yes."}
    assert sorted(lost) == ["a", "b"]


def test_a_recording_is_not_asked_again():
    system = Unlucky({"b": 1})
    system.max_runs = 3

    passed(system, "a", "b")

    assert system.calls == ["a", "b"]
