"""Running the system under test: one pass over the samples, each on its own."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Sequence

from pydantic_core import PydanticSerializationError

from ragate.errors import FATAL, ProviderError, SystemStartError
from ragate.models import Failure, Sample, SystemOutput
from ragate.protocols import System
from ragate.runtime.output_spool import Outputs as Outputs
from ragate.runtime.output_spool import Spool
from ragate.runtime.sample_time import SampleTimeError, sample_time
from ragate.support.spans import Spanned, span
from ragate.worker.outage import is_outage

OnOutput = Callable[[Sample, SystemOutput, int], None]
Room = Callable[[], Awaitable[None]]
Finish = Callable[[Sample, SystemOutput], Awaitable[SystemOutput]]


def unheard(_sample: Sample, _output: SystemOutput, _run: int) -> None:
    return


async def no_wait() -> None:
    return


async def finished(_sample: Sample, output: SystemOutput) -> SystemOutput:
    return output


async def run_pass(
    system: System,
    samples: Sequence[Sample],
    *,
    run: int,
    concurrency: int,
    timeout_s: float,
    on_output: OnOutput = unheard,
    room: Room = no_wait,
    finish: Finish = finished,
) -> Outputs:
    """Return one output a sample; `on_output` sees each as it arrives, in order of arrival.

    A failure of one sample becomes its output and never ends the pass.

    Args:
        room: Waits until whoever sees the outputs can take more.
        finish: Adds to an output what is no part of the system's time.
    """
    outputs = Spool()
    waiting = iter(samples)

    async def work() -> None:
        for sample in waiting:
            output = await ask(system, sample, run=run, timeout_s=timeout_s)
            output = await finish(sample, output)
            on_output(sample, output, run)
            outputs[sample.id] = output
            await room()

    try:
        async with asyncio.TaskGroup() as group:
            for _ in range(min(concurrency, len(samples))):
                group.create_task(work())
    except* FATAL as errors:
        raise errors.exceptions[0] from errors
    return outputs


async def ask(system: System, sample: Sample, *, run: int, timeout_s: float) -> SystemOutput:
    """Return the system's output for one sample; a failure of any kind is an output too.

    Args:
        timeout_s: Seconds for the system itself, and as many for the model providers it waits for.
    """
    with span(Spanned.SAMPLE, sample=sample.id, run=run) as note:
        output = await _asked(system, sample, run=run, timeout_s=timeout_s)
        note(chunks=len(output.chunks), failed=output.error.kind if output.error else "")
    try:
        output.model_dump_json(exclude_defaults=True)
    except PydanticSerializationError:  # half a surrogate pair, most often of a text that was cut
        return _failed("system", "its output holds text that is no Unicode, and cannot be stored")
    return output


async def _asked(system: System, sample: Sample, *, run: int, timeout_s: float) -> SystemOutput:
    started = time.perf_counter()
    try:
        async with sample_time(timeout_s):
            output = await system.answer(sample, run=run)
    except SampleTimeError as error:
        return error.output
    except (ProviderError, SystemStartError) as error:  # what does not start is nobody's answer
        return _failed("provider", error.message)
    except FATAL:
        raise
    except Exception as error:  # noqa: BLE001 - the system under test is foreign code
        kind = "provider" if is_outage(error) else "system"
        return _failed(kind, f"{type(error).__name__}: {error}"[:2000])
    if output.latency_s is None and system.max_runs is None:
        output = output.amended(latency_s=time.perf_counter() - started)
    return output


def _failed(kind: str, message: str) -> SystemOutput:
    return SystemOutput(error=Failure.model_validate({"kind": kind, "message": message}))
