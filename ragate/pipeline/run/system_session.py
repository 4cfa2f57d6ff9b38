"""The passes that are collected from a system, one after another."""

from collections.abc import Callable, Sequence
from itertools import islice

from ragate.errors import UsageError
from ragate.models import Reads, Sample, SystemOutput
from ragate.pipeline.run.collect_pass import Room, no_wait
from ragate.pipeline.run.collected_outputs import Collected
from ragate.pipeline.run.failure_summary import failure_lines
from ragate.pipeline.run.ready_system import ReadySystem
from ragate.protocols import System
from ragate.runtime.operations import Operations, Progress
from ragate.runtime.output_spool import Outputs, Spool
from ragate.support.spill import Spill

MUST_PASS_TRIES = 3


class Session:
    """What was collected from a system so far, and how more is.

    Args:
        listen: Sees every output as it arrives, so that judging need not wait for the last.
        room: Waits until who listens can take more.
    """

    def __init__(
        self,
        ready: ReadySystem,
        *,
        listen: Callable[[Sample, SystemOutput], None] = lambda _sample, _output: None,
        room: Room = no_wait,
    ) -> None:
        self.ready = ready
        self.collected = Collected(ready.manifest)
        self._listen = listen
        self._room = room
        self._restored: dict[int, Outputs] = {}  # by pass: these need not be asked for

    @property
    def system(self) -> System:
        return self.ready.system

    @property
    def operations(self) -> Operations:
        return self.ready.operations

    @property
    def left_over(self) -> int:
        """Count outputs that were taken over and that no pass has asked for."""
        return sum(map(len, self._restored.values()))

    async def ask_ahead(self, samples: Sequence[Sample]) -> None:
        """Ask one sample of the next pass and wait for it; the pass does not ask it again."""
        run = len(self.collected.passes)
        restored = self._restored.setdefault(run, Spool())
        first = list(islice((one for one in samples if one.id not in restored), 1))
        restored.update(
            await self.ready.answers(
                first,
                run,
                on_output=lambda sample, output, number: self._keep(sample, output, run=number),
                room=self._room,
            )
        )

    async def add_pass(self, samples: Sequence[Sample]) -> Outputs:
        """Run one more pass over `samples` and keep it."""
        run = len(self.collected.passes)
        restored = self._restored.pop(run, {})
        answered = len(restored)

        def keep(sample: Sample, output: SystemOutput, number: int) -> None:
            nonlocal answered
            self._keep(sample, output, run=number)
            answered += 1
            self._show(f"run {number + 1}", answered, len(samples))

        unanswered = samples
        if restored:
            unanswered = Spill(Sample, (one for one in samples if one.id not in restored))
        outputs = await self.ready.answers(unanswered, run, on_output=keep, room=self._room)
        outputs.update(restored)
        self.collected.passes.append(outputs)
        return outputs

    def _show(self, stage: str, done: int, total: int) -> None:
        cost = self.ready.opened.tally.cost_usd
        self.operations.progress(Progress(stage, done, total, cost_usd=cost))

    def name_state(self, evidence: str) -> None:
        """Note which state is judged, so that a later run of it adds to this one."""
        manifest = self.collected.manifest.amended(evidence=evidence)
        self.collected.manifest = manifest

    def adopt(self, samples: Sequence[Sample], outputs: Outputs) -> None:
        """Take over a pass that an earlier run of the same state made."""
        for sample in samples:
            self._keep(sample, outputs[sample.id], run=len(self.collected.passes))
        self.collected.passes.append(outputs)

    def restore(self, samples: Sequence[Sample], passes: Sequence[Outputs]) -> None:
        """Take over what earlier passes of this recording hold; what they lack is still asked."""
        for run, outputs in enumerate(passes):
            for sample in samples:
                if sample.id in outputs:
                    self._keep(sample, outputs[sample.id], run=run)
            self._restored[run] = outputs

    def go_on(self, samples: Sequence[Sample], passes: Sequence[Outputs], *, adopted: int) -> None:
        """Take over what this very run had before it was interrupted: its file holds it already.

        Args:
            adopted: The first so many passes are of earlier runs.
        """
        for run, outputs in enumerate(passes):
            for sample in samples:
                if sample.id in outputs:
                    self._listen(sample, outputs[sample.id])
            if run < adopted:
                self.collected.passes.append(outputs)
            else:
                self._restored[run] = outputs

    def can_add(self, passes: int) -> int:
        """Return how many of `passes` more passes the system can give."""
        if self.system.max_runs is None:
            return passes
        return max(0, min(passes, self.system.max_runs - len(self.collected.passes)))

    def _keep(self, sample: Sample, output: SystemOutput, *, run: int) -> None:
        self.ready.writer.append(sample, output, run=run)
        self._listen(sample, output)


def possible_runs(session: Session, runs: int) -> int:
    """Return how many of `runs` passes there will be; fewer are told.

    Raises:
        UsageError: there is none.
    """
    possible = session.can_add(runs)
    if possible < 1:
        raise UsageError("the system has no recorded run", remedy="record its outputs first")
    if possible < runs:
        session.operations.say(f"{possible} of {runs} runs: the system has no more recorded ones")
    return possible


async def add_tries(session: Session, samples: Sequence[Sample], tries: int) -> None:
    """Ask must-pass samples so many times more, unless the answers would only be the same."""
    must_pass = [sample for sample in samples if sample.must_pass]
    exact = {Reads.RETRIEVAL, Reads.ANSWER} <= session.system.info.deterministic
    if not must_pass or exact:
        return
    for _ in range(session.can_add(max(0, tries))):
        await session.add_pass(must_pass)


def say_if_all_failed(session: Session) -> None:
    """Say once why nothing came of a whole pass: a list of samples would repeat it."""
    outputs = session.collected.passes[-1] if session.collected.passes else {}
    if outputs and all(output.error is not None for output in outputs.values()):
        reasons = failure_lines(outputs.values())
        session.operations.say("\n  ".join([f"all {len(outputs)} outputs failed:", *reasons]))
