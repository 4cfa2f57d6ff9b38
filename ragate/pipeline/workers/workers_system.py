"""The system under test as whoever submits has it: nothing of it runs here, workers ask it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence

from ragate.core.hashing import content_hash
from ragate.core.lookup import samples_by_id
from ragate.errors import DatasetError
from ragate.models import Sample, SystemInfo, SystemOutput
from ragate.outputs.outputs_file import validated_output
from ragate.pipeline.run.collect_pass import OnOutput, Room, no_wait, unheard
from ragate.pipeline.workers.greeting import Greeting, read_greeting
from ragate.pipeline.workers.watch import Watch
from ragate.queue.submission import Submission
from ragate.runtime.output_spool import Outputs, Spool
from ragate.runtime.time_limit import within
from ragate.support.strict_json import loads

_POLL_S = 0.2


class WorkersSystem:
    """A `System` whose questions workers ask, a pass at a time.

    Args:
        after_pass: Is waited for when the outputs of a pass are there.
        max_minutes: Of the policy, for the first worker to open its system.
    """

    def __init__(
        self,
        submission: Submission,
        watch: Watch,
        *,
        resumed: bool,
        after_pass: Callable[[], Awaitable[None]],
        max_minutes: float,
    ) -> None:
        self._submission = submission
        self._watch = watch
        self._after_pass = after_pass
        self._resumed = resumed
        self._max_minutes = max_minutes
        self._rebuilds = 0
        self._greeting: Greeting | None = None

    @property
    def info(self) -> SystemInfo:
        return self._said.system

    @property
    def max_runs(self) -> int | None:
        return self._said.max_runs

    @property
    def identifies_state(self) -> bool:
        return self._said.identifies_state

    @property
    def reads_date(self) -> bool:
        return self._said.reads_date

    @property
    def arranges(self) -> bool:
        return self._said.arranges

    @property
    def _said(self) -> Greeting:
        if self._greeting is None:
            raise AssertionError("a system that no worker has opened yet")
        return self._greeting

    async def prepare(self, *, rebuild: bool = False) -> None:
        """Wait until a worker has opened the system; `rebuild` makes each do it anew."""
        self._rebuilds += rebuild
        if self._greeting is not None:
            return
        # The run's own limit begins when the system is ready; a worker may open it for ever.
        async with within(self._max_minutes, remedy="see what the worker does, or end it"):
            text = await self._greeted()
        self._greeting = read_greeting(text)
        self._watch.moved()

    async def _greeted(self) -> str:
        """Return what the first worker said, when one has."""
        text = await self._submission.greeting()
        if text is None:
            await self._submission.add(0, (), rebuilds=0)
        while text is None:
            await asyncio.sleep(_POLL_S)
            await self._watch.look()
            text = await self._submission.greeting()
        return text

    async def documents(self) -> frozenset[str] | None:
        """Return what the first worker's system can retrieve."""
        documents = self._said.documents
        return None if documents is None else frozenset(documents)

    async def answer(self, sample: Sample, *, run: int = 0) -> SystemOutput:
        """Return the output for one sample."""
        outputs = await self.answer_pass([sample], run, on_output=unheard, room=no_wait)
        return outputs[sample.id]

    async def answer_pass(
        self, samples: Sequence[Sample], run: int, *, on_output: OnOutput, room: Room
    ) -> Outputs:
        """Return the outputs of one pass, which workers give; the arguments are as in `run_pass`.

        Raises:
            DatasetError: an output is none of a sample that was asked.
            RagateError: a block cannot be done.
        """
        outputs = Spool()
        by_id = samples_by_id(samples)
        async for key, output in self._outputs(by_id, run):
            on_output(by_id[key], output, run)
            outputs[key] = output
            await room()
        await self._after_pass()
        return outputs

    async def _outputs(
        self, by_id: Mapping[str, Sample], run: int
    ) -> AsyncIterator[tuple[str, SystemOutput]]:
        missing = set(by_id)
        last = -1
        if self._resumed:
            async for key, output in self._earlier(by_id, run):
                missing.discard(key)
                yield key, output
        await self._submission.add(
            run, [key for key in by_id if key in missing], rebuilds=self._rebuilds
        )
        while missing:
            arrivals = await self._submission.arrivals(run, last)
            for each in arrivals:
                last = each.number
                if each.sample in missing:
                    missing.discard(each.sample)
                    yield each.sample, _output(each.line, by_id[each.sample], run)
            if arrivals:
                self._watch.moved()
            await self._watch.look()
            if not arrivals:
                await asyncio.sleep(_POLL_S)

    async def _earlier(
        self, by_id: Mapping[str, Sample], run: int
    ) -> AsyncIterator[tuple[str, SystemOutput]]:
        """Yield what the run had of this pass; what a provider left unanswered is forgotten."""
        last, unanswered = -1, list[str]()
        while arrivals := await self._submission.arrivals(run, last):
            for each in arrivals:
                last = each.number
                if each.sample not in by_id:
                    continue
                output = _output(each.line, by_id[each.sample], run)
                if output.error is not None and output.error.kind == "provider":
                    unanswered.append(each.sample)
                else:
                    yield each.sample, output
        if unanswered:
            await self._submission.forget(run, unanswered)


def _output(line: str, sample: Sample, run: int) -> SystemOutput:
    """Return the output of a line that a worker wrote.

    Raises:
        DatasetError: it is no output, or one of another sample or pass.
    """
    where = f"output of {sample.id!r} in run {run}, from a worker"
    recorded = validated_output(where, loads(line.encode(), where=where, error=DatasetError))
    if (recorded.id, recorded.run, recorded.hash) != (sample.id, run, content_hash(sample)):
        raise DatasetError(
            f"{where}: it says it is of {recorded.id!r} in run {recorded.run}",
            remedy="look at who else has the role of the workers in this database",
        )
    return recorded.output()
