"""The passes that are collected from a system, one after another."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from ragate.core.hashing import content_hash, output_hash, retrieval_hash
from ragate.core.lookup import SampleTries, passes_of
from ragate.errors import UsageError
from ragate.models import Reads, Run, Sample, SystemOutput
from ragate.pipeline.run.collected_outputs import Collected, Room, no_wait
from ragate.pipeline.run.ready_system import ReadySystem
from ragate.protocols import System
from ragate.runtime.operations import Operations, Progress
from ragate.runtime.output_spool import Outputs, Spool
from ragate.runtime.wrapped_system import restartable
from ragate.support.escape import one_line
from ragate.support.spill import Spill


class Session:
    """What was collected from a system so far, and how more is.

    Args:
        listen: Sees every output as it arrives, so that judging need not wait for the last.
        room: Waits until who listens can take more.

    Attributes:
        adopted: The first so many passes are of earlier runs of the same state.
        full, again: Passes of the first look, and what was asked again after it.
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

    async def ask_also(self, samples: Sequence[Sample]) -> None:
        """Ask what is no part of this golden set once a full pass; the answers are kept alone."""
        for run in range(self.full if samples else 0):
            answers = await self.ready.answers(samples, run)
            for sample in samples:
                self.ready.keep(sample, answers[sample.id], run=run)

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


def plan_confirmation(
    session: Session,
    *,
    runs: int,
    confirm: int,
    repeats: Sequence[str] = (),
    baseline: Run | None = None,
) -> None:
    """Note how many passes may follow a first look at `runs`: both looks share alpha.

    It is settled before the first pass, by what the system can give and not by any score. None
    follow where the first look has them all, or where the system repeats its answers exactly.

    Args:
        repeats: What the policy declares to repeat; without passes of the baseline that bear it out
            noise is tested for, and what is suspicious is confirmed.
    """
    possible = max(0, session.can_add(1 + confirm) - 1)
    declared = "answer" in repeats and _is_equal_in_all_passes(baseline)
    exact = declared or Reads.ANSWER in session.system.info.deterministic
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


async def ask_changed_again(
    session: Session,
    samples: Sequence[Sample],
    baseline: Run | None,
    repeats: Sequence[str],
) -> None:
    """Ask samples whose outputs differ from the baseline's until each has `PROOF` passes.

    Only what the policy declares is asked again: what both systems declare needs no proof. A system
    that holds recordings gives whole passes, which cost nothing, unless its baseline varies and it
    is judged as noisy. Passes that were taken over from earlier runs prove nothing of today.

    Args:
        repeats: ``[policy] repeats``.
    """
    from ragate.core.comparison.repeating_samples import PROOF

    has_noise = "answer" in repeats and not _is_equal_in_all_passes(baseline)
    if session.system.max_runs is not None and has_noise:
        return
    earlier = session.adopted
    passes = session.collected.passes
    changed = _changed(session, samples, baseline, repeats, earlier)
    told = False
    for _ in range(PROOF):
        unproven = [
            sample
            for sample in changed
            if sum(sample.id in outputs for outputs in passes[earlier:]) < PROOF
        ]
        if not unproven or session.can_add(1) < 1:
            break
        if not told:
            number = len(unproven)
            session.operations.say(
                f"{number} changed outputs are asked again: [policy] repeats says they repeat"
            )
            told = True
        if session.own_sessions:  # what only holds within one would repeat as well
            await session.renew()
        await session.add_pass(unproven if session.system.max_runs is None else samples)


def _changed(
    session: Session,
    samples: Sequence[Sample],
    baseline: Run | None,
    repeats: Sequence[str],
    earlier: int,
) -> list[Sample]:
    """Return the samples with an output that is not the baseline's, in what has to be proven."""
    if baseline is None:
        return []
    from ragate.core.comparison.repeating_samples import declared_parts, is_changed
    from ragate.core.comparison.sample_matching import contents, renamed_ids, with_new_ids

    declared_by_both = baseline.manifest.system.deterministic & session.system.info.deterministic
    declared = declared_parts(repeats) - declared_by_both
    if session.collected.manifest.retrieval_only:
        declared &= {Reads.RETRIEVAL}
    if not declared:
        return []
    now = {sample.id: content_hash(sample) for sample in samples}
    renamed = renamed_ids(contents(baseline.records), now)
    before = SampleTries(passes_of(with_new_ids(baseline, renamed).records))
    changed = []
    for sample in samples:
        records = before.get(sample.id, ())
        if not records or records[0].content_hash != now[sample.id]:
            continue
        passes = session.collected.passes[earlier:]
        outputs = [each[sample.id] for each in passes if sample.id in each]
        if any(
            is_changed(records, output, (retrieval_hash(output), output_hash(output)), declared)
            for output in outputs
        ):
            changed.append(sample)
    return changed
