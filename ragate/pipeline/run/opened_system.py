"""What a run asks: a system in this process, or whatever else takes the questions of a pass."""

from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from ragate.config import Config
from ragate.executors.executor import Executor, open_executor
from ragate.models import Sample
from ragate.pipeline.run.collect_pass import OnOutput, Room
from ragate.pipeline.run.relative_dates import date_of
from ragate.pipeline.run.selection import Selection
from ragate.protocols import System
from ragate.recorder.open_system import open_system
from ragate.runtime.operations import Operations
from ragate.runtime.output_spool import Outputs
from ragate.runtime.resources import Opened


@dataclass(frozen=True)
class SystemRequest:
    """What a system is opened for.

    Attributes:
        run_id: The run's, which it keeps where it goes on.
        recording: Names the recording of a baseline, which takes no answers but its own.
        judged: The judge is asked in this process as well.
        resumed: The run goes on.
    """

    config: Config
    operations: Operations
    selection: Selection
    run_id: str = ""
    recording: str = ""
    judged: bool = True
    resumed: bool = False


@dataclass(frozen=True)
class OpenedSystem:
    """A system, and what carries the calls of its outputs out, where the policy names that."""

    system: System
    executor: Executor | None = None


OpensSystem = Callable[[SystemRequest, Opened], AbstractAsyncContextManager[OpenedSystem]]


@runtime_checkable
class PassSystem(Protocol):
    """What a system may have as well: it takes the questions of a whole pass at once."""

    async def answer_pass(
        self, samples: Sequence[Sample], run: int, *, on_output: OnOutput, room: Room
    ) -> Outputs:
        """Return the outputs of one pass; the arguments are as in `run_pass`."""
        ...


@asynccontextmanager
async def open_here(request: SystemRequest, opened: Opened) -> AsyncIterator[OpenedSystem]:
    """Yield the system under test, which this process asks."""
    config, today = request.config, date_of(request.selection.eval_date)
    async with (
        open_executor(config, opened.system, today) as executor,
        open_system(
            config,
            request.operations,
            opened,
            recording=request.recording,
            judged=request.judged,
        ) as system,
    ):
        yield OpenedSystem(system, executor)
