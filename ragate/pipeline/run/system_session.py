"""A system that is up and ready, and the passes that were collected from it."""

from __future__ import annotations

import asyncio
import datetime
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from ragate import __version__
from ragate.config import Config
from ragate.errors import UsageError
from ragate.models import Filters, Reads, Run, RunManifest, Sample, SystemOutput
from ragate.outputs import OutputsHeader
from ragate.pipeline.run.collect_pass import Room, no_wait, run_pass
from ragate.pipeline.run.collected_outputs import Collected
from ragate.pipeline.run.corpus_texts import corpus_texts, stale_evidence
from ragate.pipeline.run.relative_dates import asked_on, noted_date
from ragate.protocols import System
from ragate.recorder.baseline_replies import save_run_replies
from ragate.recorder.recorded_system import open_system
from ragate.runtime.output_spool import Outputs
from ragate.runtime.resources import Opened, Operations, open_resources
from ragate.runtime.time_limit import within
from ragate.stores.local import LocalStore, new_run_id
from ragate.stores.writer import OutputsWriter
from ragate.support.git import head_commit

MUST_PASS_TRIES = 3


@dataclass(frozen=True)
class Selection:
    """What part of the golden set is run, and how."""

    filters: Filters = field(default_factory=Filters)
    top_k: int | None = None
    retrieval_only: bool = False
    runs: int = 1
    eval_date: str = ""


@dataclass
class Session:
    """A system that is ready, with the passes that were collected from it so far.

    Attributes:
        limit: Ends the run when its time is over.
        eval_date: What ``{today}`` stands for, "" for today.
        listen: Sees every output as it arrives, so that judging need not wait for the last.
        room: Waits until who listens can take more.
        restored: Outputs by pass that need not be asked for.
    """

    system: System
    opened: Opened
    operations: Operations
    writer: OutputsWriter
    collected: Collected
    limit: asyncio.Timeout | None = None
    eval_date: str = ""
    listen: Callable[[Sample, SystemOutput], None] = lambda _sample, _output: None
    room: Room = no_wait
    restored: dict[int, Outputs] = field(default_factory=dict)

    def end_limit(self) -> None:
        """Let what is still to come run past ``max_minutes``: the verdict stands."""
        if self.limit is not None:
            self.limit.reschedule(None)

    async def add_pass(self, samples: Sequence[Sample]) -> Outputs:
        """Run one more pass over `samples` and keep it."""
        run = len(self.collected.passes)
        known = self.restored.pop(run, {})
        done = len(known)

        def keep(sample: Sample, output: SystemOutput, number: int) -> None:
            nonlocal done
            self.writer.append(sample, output, run=number)
            self.listen(sample, output)
            done += 1
            self.operations.progress(done, len(samples), f"run {number + 1}")

        outputs = await run_pass(
            asked_on(self.system, self.eval_date),
            [sample for sample in samples if sample.id not in known],
            run=run,
            concurrency=self._concurrency(),
            timeout_s=self.opened.system.timeout_s,
            on_output=keep,
            room=self.room,
        )
        outputs.update(known)
        self.collected.passes.append(outputs)
        return outputs

    async def ask(self, samples: Sequence[Sample], run: int) -> Outputs:
        """Return outputs that are no part of the run, such as those of a proposed sample."""
        return await run_pass(
            asked_on(self.system, self.eval_date),
            samples,
            run=run,
            concurrency=self._concurrency(),
            timeout_s=self.opened.system.timeout_s,
            on_output=lambda _sample, _output, _run: None,
        )

    def name_state(self, evidence: str) -> None:
        """Note which state is judged, so that a later run of it adds to this one."""
        manifest = self.collected.manifest.model_copy(update={"evidence": evidence})
        self.collected.manifest = manifest

    def adopt(self, samples: Sequence[Sample], outputs: Outputs) -> None:
        """Take over a pass that an earlier run of the same state made."""
        run = len(self.collected.passes)
        for sample in samples:
            self.writer.append(sample, outputs[sample.id], run=run)
            self.listen(sample, outputs[sample.id])
        self.collected.passes.append(outputs)

    def restore(self, samples: Sequence[Sample], passes: Sequence[Outputs]) -> None:
        """Take over what earlier passes of this recording hold; what they lack is still asked."""
        for run, outputs in enumerate(passes):
            for sample in samples:
                if sample.id in outputs:
                    self.writer.append(sample, outputs[sample.id], run=run)
                    self.listen(sample, outputs[sample.id])
            self.restored[run] = outputs

    def _concurrency(self) -> int:
        """Return the samples in flight: one that waits for its turn would run out of time."""
        most: int | None = getattr(self.system, "max_concurrency", None)
        return min(self.opened.system.concurrency, most or self.opened.system.concurrency)

    def can_add(self, passes: int) -> int:
        """Return how many of `passes` more passes the system can give."""
        if self.system.max_runs is None:
            return passes
        return max(0, min(passes, self.system.max_runs - len(self.collected.passes)))


@asynccontextmanager
async def open_session(
    config: Config,
    operations: Operations,
    samples: Sequence[Sample],
    selection: Selection,
    *,
    baseline: Run | None = None,
    recording: str = "",
) -> AsyncIterator[Session]:
    """Yield the system under test, up to date, with its outputs file open.

    Args:
        baseline: Its answers are taken where a model request is the same.
        recording: Names the recording of a baseline, which takes no answers but its own.

    Raises:
        BudgetError: ``max_minutes`` of the policy has passed; finished outputs are kept.
    """
    store = LocalStore(operations.state)
    run_id = new_run_id()
    async with (
        open_resources(
            config,
            operations,
            baseline=baseline,
            session=recording,
            top_k=selection.top_k,
            retrieval_only=selection.retrieval_only,
        ) as opened,
        open_system(config, operations, opened, recording=recording) as system,
    ):
        await system.prepare()
        commit = operations.commit or head_commit(config.root)
        manifest = await _manifest(config, system, samples, selection, run_id, commit)
        path = store.folder(run_id) / "outputs.jsonl"
        header = OutputsHeader(manifest=manifest, samples=len(samples))
        with OutputsWriter(path, header) as writer:
            collected, date = Collected(manifest), selection.eval_date
            session = Session(system, opened, operations, writer, collected, eval_date=date)
            kept = f"the finished outputs are in {path}"
            async with within(config.policy.max_minutes, remedy=kept) as session.limit:
                yield session
            save_run_replies(system, path.parent)


async def _manifest(
    config: Config,
    system: System,
    samples: Sequence[Sample],
    selection: Selection,
    run_id: str,
    commit: str,
) -> RunManifest:
    known = await system.documents()
    missing = {} if known is None else missing_documents(samples, known)
    return RunManifest(
        run_id=run_id,
        gate=config.gate,
        created=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        commit=commit,
        ragate_version=__version__,
        dataset=config.policy.dataset,
        system=system.info,
        filters=selection.filters,
        retrieval_only=selection.retrieval_only,
        missing_documents=missing,
        stale_evidence=_stale_evidence(config, samples),
        eval_date=noted_date(
            selection.eval_date, samples, read=getattr(system, "reads_date", False)
        ),
    )


def _stale_evidence(config: Config, samples: Sequence[Sample]) -> dict[str, tuple[str, ...]]:
    """Return, by sample, the documents that no longer hold their passage, where that is known."""
    if not any(sample.evidence for sample in samples):
        return {}
    texts = corpus_texts(config, None)
    return {} if texts is None else stale_evidence(samples, texts)


def missing_documents(
    samples: Sequence[Sample], known: frozenset[str]
) -> dict[str, tuple[str, ...]]:
    """Return, by sample, the expected documents that the corpus does not hold."""
    return {
        sample.id: tuple(sorted(sample.expected - known))
        for sample in samples
        if sample.expected - known
    }


def possible_runs(session: Session, runs: int) -> int:
    possible = session.can_add(runs)
    if possible < 1:
        raise UsageError("the system has no recorded run", remedy="record its outputs first")
    if possible < runs:
        session.operations.say(f"{possible} of {runs} runs: the system has no more recorded ones")
    return possible


async def add_tries(session: Session, samples: Sequence[Sample], tries: int) -> None:
    wanted = [sample for sample in samples if sample.must_pass]
    if not wanted or _repeats_exactly(session.system):
        return
    for _ in range(session.can_add(max(0, tries))):
        await session.add_pass(wanted)


def _repeats_exactly(system: System) -> bool:
    return {Reads.RETRIEVAL, Reads.ANSWER} <= system.info.deterministic


async def ingest(config: Config, operations: Operations, *, rebuild: bool) -> int | None:
    """Bring the system's index up to date; return its number of documents, None without one."""
    async with (
        open_resources(config, operations) as opened,
        open_system(config, operations, opened) as system,
    ):
        await system.prepare(rebuild=rebuild)
        known: frozenset[str] | None = await system.documents()
    return None if known is None else len(known)
