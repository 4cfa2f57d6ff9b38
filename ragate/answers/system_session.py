"""The passes that are collected from a system, one after another."""

import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence

from ragate.answers.collected_outputs import Collected, Room, no_wait
from ragate.answers.losses import Losses
from ragate.answers.output_spool import Outputs, Spool
from ragate.answers.ready_system import ReadySystem
from ragate.answers.wrapped_system import restartable
from ragate.core.comparison.run_passes import is_measured
from ragate.core.statistics.looks import CONFIRM
from ragate.errors import HopelessError, UsageError
from ragate.guards.escape import one_line
from ragate.models import Reads, Run, Sample, SystemOutput
from ragate.models.progress import Progress
from ragate.protocols import System
from ragate.resources.operations import Operations

MOST_AGAIN = 20  # passes over what changed, however many of them fail


class Session:
    """What was collected from a system so far, and how more is.

    Args:
        listen: Sees every output as it arrives, so that judging need not wait for the last.
        room: Waits until who listens can take more.

    Attributes:
        adopted: The first so many passes are of earlier runs of the same state.
        full, again: Passes of the first look, and what was asked again after it.
        losses: What was asked in vain; None where nobody counts it.
        pass_s: Seconds that the newest pass took.
    """

    def __init__(
        self,
        ready: ReadySystem,
        *,
        listen: Callable[[Sample, SystemOutput], None] = lambda _sample, _output: None,
        room: Room = no_wait,
    ) -> None:
        self.ready = ready
        self.collected = Collected(ready.manifest, list(ready.passes))
        self.adopted = 0
        self.full = self.again = 0
        self.losses: Losses | None = None
        self.pass_s = 0.0
        self._in_vain: dict[tuple[int, str], tuple[Sample, SystemOutput]] = {}
        self._counts = True
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
    def asks(self) -> bool:
        """Return False where the outputs are files, which hold all that there is."""
        return self.ready.writer is not None

    @property
    def own_sessions(self) -> bool:
        """Whether each pass has a session of its own."""
        return self.collected.manifest.own_sessions

    async def renew(self) -> None:
        """Begin another session: new processes, new connections, a new index."""
        if (system := restartable(self.system)) is not None:
            await system.restart()
        await self.system.prepare(rebuild=True)

    @property
    def left_over(self) -> int:
        """Count outputs that were taken over and that no pass has asked for."""
        return sum(map(len, self._restored.values()))

    async def ask_ahead(self, samples: Iterable[Sample]) -> None:
        """Ask some samples of the next pass and wait for them; the pass does not ask them again."""
        run = len(self.collected.passes)
        restored = self._restored.setdefault(run, Spool())
        restored.update(
            await self.ready.answers(
                [one for one in samples if one.id not in restored],
                run,
                on_output=lambda sample, output, number: self._keep(sample, output, run=number),
                on_lost=self._lose,
                room=self._room,
            )
        )

    async def add_pass(self, samples: Sequence[Sample]) -> Outputs:
        """Run one more pass over `samples` and keep it."""
        run, began = len(self.collected.passes), time.monotonic()
        restored = self._restored.pop(run, {})
        answered, failed = len(restored), 0
        if self.losses is not None:
            self._counts = len(samples) == self.losses.n  # tries of a few are no pass
            self.losses.began()

        def keep(sample: Sample, output: SystemOutput, number: int) -> None:
            nonlocal answered, failed
            self._keep(sample, output, run=number)
            answered, failed = answered + 1, failed + (output.error is not None)
            self._show(f"run {number + 1}", answered, len(samples), failed)

        unanswered = samples
        if restored:
            unanswered = [one for one in samples if one.id not in restored]
        outputs = await self.ready.answers(
            unanswered, run, on_output=keep, on_lost=self._lose, room=self._room
        )
        outputs.update(restored)
        self.collected.passes.append(outputs)
        self.pass_s = time.monotonic() - began
        return outputs

    def _show(self, stage: str, done: int, total: int, failed: int) -> None:
        cost = self.ready.opened.tally.cost_usd
        self.operations.progress(Progress(stage, done, total, cost_usd=cost, failed=failed))

    def adopt(self, samples: Sequence[Sample], outputs: Outputs) -> None:
        """Take over a pass that an earlier run of the same state made."""
        for sample in samples:
            self._keep(sample, outputs[sample.id], run=len(self.collected.passes))
        self.collected.passes.append(outputs)
        self.adopted += 1

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
        self.adopted = adopted
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
        self.ready.keep(sample, output, run=run)
        self._listen(sample, output)
        self._in_vain.pop((run, sample.id), None)
        losses = self.losses
        if losses is None:
            return
        if is_measured(output) and not (losses.any_failure and output.error is not None):
            losses.found(f"{run} {sample.id}", output.latency_s or 0.0)
        elif output.error is not None and self._counts:
            losses.lose(f"{run} {sample.id}", output.error.message)

    def _lose(self, sample: Sample, output: SystemOutput, run: int) -> None:
        """Count what was asked in vain; it may be found yet.

        Raises:
            HopelessError: it is more than the policy allows.
        """
        self._in_vain[run, sample.id] = sample, output
        if self.losses is None or output.error is None or not self._counts:
            return
        try:
            self.losses.lose(f"{run} {sample.id}", output.error.message)
        except HopelessError:
            in_vain, self._in_vain = self._in_vain, {}  # others may be lost before all have ended
            for (number, _), (one, failed) in in_vain.items():
                self.ready.keep(one, failed, run=number)
            raise


def plan_confirmation(
    session: Session,
    *,
    runs: int,
    baseline: Run | None = None,
) -> None:
    """Note how many passes may follow a first look at `runs`: both looks share alpha.

    It is settled before the first pass, by what the system can give and not by any score. None
    follow where the first look has them all, or where the system repeats its answers exactly.
    """
    possible = max(0, session.can_add(1 + CONFIRM) - 1)
    shown = session.own_sessions and _is_equal_in_all_passes(baseline)
    exact = shown or Reads.ANSWER in session.system.info.deterministic
    further = 0 if exact or runs > possible else possible
    session.collected.manifest = session.collected.manifest.amended(confirm=further)


def _is_equal_in_all_passes(baseline: Run | None) -> bool:
    return baseline is not None and 0 < baseline.manifest.identical == baseline.manifest.runs - 1


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


REASONS = 3
LIMIT = 2000  # characters of one reason: the first lines of a service's reply


def failure_lines(outputs: Iterable[SystemOutput]) -> Iterator[str]:
    """Yield ``12 × the service answered 422: …``, the most frequent reason first."""
    reasons = Counter(output.error.message for output in outputs if output.error is not None)
    for reason, count in reasons.most_common(REASONS):
        yield f"{count} × {one_line(reason, LIMIT)}"
    if len(reasons) > REASONS:
        yield f"{len(reasons) - REASONS} further reasons: `ragate collect --format json` has each"


async def ask_again(session: Session, samples: Sequence[Sample]) -> None:
    """Ask some samples once more, in a session of their own: what holds within one would repeat."""
    number = len(samples)
    session.operations.say(f"{number} changed outputs are asked again: they repeated so far")
    await session.renew()
    await session.add_pass(samples)
