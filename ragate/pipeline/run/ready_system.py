"""A system under test that is up to date, with the manifest and the outputs file of its run."""

import asyncio
import datetime
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from ragate.config import Config
from ragate.models import Run, RunManifest, Sample
from ragate.pipeline.run.collect_pass import OnOutput, Room, no_wait, run_pass, unheard
from ragate.pipeline.run.corpus_texts import corpus_texts, stale_evidence
from ragate.pipeline.run.gone_documents import gone_documents
from ragate.pipeline.run.relative_dates import asked_on, noted_date
from ragate.pipeline.run.selection import Selection
from ragate.protocols import DateReader, LimitedSystem, System
from ragate.recorder.baseline_replies import save_run_replies
from ragate.recorder.open_system import open_system
from ragate.runtime.operations import Operations
from ragate.runtime.output_spool import Outputs
from ragate.runtime.resources import Opened, open_resources
from ragate.runtime.run_labels import branch_of, noted
from ragate.runtime.time_limit import within
from ragate.stores.begun_run import BegunRun
from ragate.stores.local import LocalStore, new_run_id
from ragate.stores.run_outputs import open_outputs
from ragate.stores.writer import OutputsWriter
from ragate.support.git import head_commit
from ragate.version import __version__

LookFirst = Callable[[Opened], Awaitable[None]]


async def no_look(_opened: Opened) -> None:
    return


@dataclass(frozen=True)
class ReadySystem:
    """A system that can be asked, and what a run of it needs.

    Attributes:
        writer: Keeps the run's outputs as they arrive.
        manifest: The run's, as it begins.
        limit: Ends the run when its time is over.
        eval_date: What ``{today}`` stands for, "" for today.
    """

    system: System
    opened: Opened
    operations: Operations
    writer: OutputsWriter
    manifest: RunManifest
    limit: asyncio.Timeout
    eval_date: str

    async def answers(
        self,
        samples: Sequence[Sample],
        run: int,
        *,
        on_output: OnOutput = unheard,
        room: Room = no_wait,
    ) -> Outputs:
        """Return the outputs of one pass; `on_output` and `room` are as in `run_pass`."""
        system = self.opened.system
        # A sample that waits for its turn in the system would run out of time.
        limit = self.system.max_concurrency if isinstance(self.system, LimitedSystem) else None
        return await run_pass(
            asked_on(self.system, self.eval_date),
            samples,
            run=run,
            concurrency=min(system.concurrency, limit or system.concurrency),
            timeout_s=system.timeout_s,
            on_output=on_output,
            room=room,
        )

    def end_limit(self) -> None:
        """Let what is still to come run past ``max_minutes``: the verdict stands."""
        self.limit.reschedule(None)


@asynccontextmanager
async def open_ready_system(
    config: Config,
    operations: Operations,
    samples: Sequence[Sample],
    selection: Selection,
    *,
    baseline: Run | None = None,
    recording: str = "",
    judged: bool = True,
    look_first: LookFirst = no_look,
    interrupted: BegunRun | None = None,
) -> AsyncIterator[ReadySystem]:
    """Yield the system under test, up to date, with its outputs file open.

    Args:
        baseline: Its answers are taken where a model request is the same.
        recording: Names the recording of a baseline, which takes no answers but its own.
        judged: The judge is asked in this process as well.
        look_first: Looks at what the run needs before the system is started or brought up to date.
        interrupted: The run that goes on; its file keeps what it holds.

    Raises:
        BudgetError: ``max_minutes`` of the policy has passed; finished outputs are kept.
    """
    async with AsyncExitStack() as stack:
        resources = open_resources(
            config,
            operations,
            baseline=baseline,
            session=recording,
            top_k=selection.top_k,
            retrieval_only=selection.retrieval_only,
        )
        opened = await stack.enter_async_context(resources)
        await look_first(opened)
        system = await stack.enter_async_context(
            open_system(config, operations, opened, recording=recording, judged=judged)
        )
        await system.prepare()
        manifest = await _manifest(config, operations, system, samples, selection)
        manifest = labelled(manifest, operations, config.root)
        if not manifest.missing_documents and (gone := gone_documents(samples, config.root)):
            operations.say(f"warning: {gone.message}; {gone.remedy}")
        store = LocalStore(operations.state)
        kept = open_outputs(store, manifest, samples=len(samples), interrupted=interrupted)
        with kept as (writer, begun):
            manifest = labelled(begun, operations, config.root)
            remedy = f"the finished outputs are in {writer.path}"
            async with within(config.policy.max_minutes, remedy=remedy) as limit:
                yield ReadySystem(
                    system, opened, operations, writer, manifest, limit, selection.eval_date
                )
            if interrupted is None:  # else it was given a part of the replies alone
                save_run_replies(system, writer.path.parent)


async def ingest(config: Config, operations: Operations, *, rebuild: bool) -> int | None:
    """Bring the system's index up to date; return its number of documents, None without one."""
    async with (
        open_resources(config, operations) as opened,
        open_system(config, operations, opened) as system,
    ):
        await system.prepare(rebuild=rebuild)
        documents: frozenset[str] | None = await system.documents()
    return None if documents is None else len(documents)


def labelled(manifest: RunManifest, operations: Operations, root: Path) -> RunManifest:
    """Return the manifest with the branch that is checked out, and what a person noted."""
    return noted(manifest, operations.labels, branch=branch_of(operations.environment, root))


async def _manifest(
    config: Config,
    operations: Operations,
    system: System,
    samples: Sequence[Sample],
    selection: Selection,
) -> RunManifest:
    documents = await system.documents()
    reads_date = isinstance(system, DateReader) and system.reads_date
    reads_date = reads_date or any(table.get("dates") for table in config.metric_settings.values())
    return RunManifest(
        run_id=new_run_id(),
        gate=config.gate,
        created=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        commit=operations.commit or head_commit(config.root),
        ragate_version=__version__,
        dataset=config.policy.dataset,
        system=system.info,
        filters=selection.filters,
        retrieval_only=selection.retrieval_only,
        missing_documents={} if documents is None else missing_documents(samples, documents),
        stale_evidence=_stale_evidence(config, samples),
        eval_date=noted_date(selection.eval_date, samples, read=reads_date),
    )


def _stale_evidence(config: Config, samples: Sequence[Sample]) -> dict[str, tuple[str, ...]]:
    """Return, by sample, the documents that no longer hold their passage, where that is known."""
    if not any(sample.evidence for sample in samples):
        return {}
    texts = corpus_texts(config, None)
    return {} if texts is None else stale_evidence(samples, texts)


def missing_documents(
    samples: Sequence[Sample], documents: frozenset[str]
) -> dict[str, tuple[str, ...]]:
    """Return, by sample, the expected documents that the corpus does not hold."""
    return {
        sample.id: tuple(sorted(sample.expected - documents))
        for sample in samples
        if sample.expected - documents
    }
