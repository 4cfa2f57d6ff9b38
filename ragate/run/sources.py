"""Where the outputs of a run come from: the system under test, or files of outputs.

`SystemSource` asks the system, here or on workers (`ragate/pipeline/workers`); `FilesSource` reads
files, whole ones or the shards of a plan (`ragate/pipeline/shards`).
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from ragate.config import Config
from ragate.errors import UsageError
from ragate.models import Run, Sample, SystemInfo
from ragate.outputs.outputs_file import read_header, written_by_ragate
from ragate.outputs.recorded_output import Placement
from ragate.pipeline.decide.gate_setup import GateSetup
from ragate.pipeline.run.collected_outputs import (
    Collected,
    OnOutput,
    Room,
    line_mapping,
    read_collected,
)
from ragate.pipeline.run.ready_system import (
    LookFirst,
    OpensSystem,
    PassSystem,
    ReadySystem,
    open_here,
    open_ready_system,
)
from ragate.pipeline.run.relative_dates import date_of
from ragate.pipeline.run.run_profile import Selection
from ragate.run.plan import RunPlan, Stop
from ragate.runtime.operations import Operations
from ragate.runtime.output_spool import Outputs
from ragate.runtime.resources import open_resources
from ragate.runtime.run_labels import noted
from ragate.stores.local import new_run_id

# A stranger's questions are judged with our key: so many of them, for a verdict that is only shown.
MOST_JUDGED = 200


@dataclass(frozen=True)
class SystemSource:
    """The system under test, which is asked.

    Attributes:
        opens: Gives what is asked: the system itself, or workers that have it.
    """

    opens: OpensSystem = open_here
    parts = None
    most_judged = None

    def open(
        self, plan: RunPlan, setup: GateSetup, look_first: LookFirst
    ) -> AbstractAsyncContextManager[ReadySystem]:
        """Open the system, up to date, with the outputs file of the run."""
        return open_ready_system(
            plan.config,
            plan.operations,
            setup.samples,
            plan.selection,
            baseline=None if plan.recording else setup.baseline,
            recording=plan.recording.name if plan.recording else "",
            look_first=look_first,
            interrupted=plan.interrupted,
            opens=self.opens,
        )


@dataclass(frozen=True)
class FilesSource:
    """Files of outputs: nothing of the system runs, and they hold all that there is.

    Attributes:
        foreign: They come from a job that is not trusted: nothing that they say of themselves may
            soften a verdict.
        parts: The files are parts of one run; what they lack leaves no pass.
    """

    paths: Sequence[Path]
    foreign: bool = False
    parts: Placement | None = None

    @property
    def most_judged(self) -> int | None:
        return MOST_JUDGED if self.foreign else None

    @asynccontextmanager
    async def open(
        self, plan: RunPlan, setup: GateSetup, look_first: LookFirst
    ) -> AsyncIterator[ReadySystem]:
        """Read the files.

        Raises:
            UsageError: they come from a kind of system that the policy does not name.
            DatasetError: one cannot be read.
        """
        collected = self.read(plan, setup.samples, setup.baseline)
        refuse_other_system(plan.config, collected)
        manifest = collected.manifest
        if plan.stop is Stop.DECIDED:
            hint_at_filters(plan.operations, collected, plan.selection)
            manifest = manifest.amended(
                run_id=new_run_id(),
                commit=plan.operations.commit or manifest.commit,
                filters=plan.selection.filters,
                retrieval_only=plan.selection.retrieval_only,
                earlier=() if self.foreign else manifest.earlier,
            )
            manifest = noted(manifest, plan.operations.labels)
        async with open_resources(plan.config, plan.operations) as opened:
            await look_first(opened)
            system = _StoredSystem(self, plan, manifest.system, len(collected.passes))
            operations = plan.operations
            yield ReadySystem(system, opened, operations, manifest, passes=collected.passes)

    def read(self, plan: RunPlan, samples: Sequence[Sample], baseline: Run | None) -> Collected:
        """Return what the files hold of some samples; doubted where they are not trusted."""
        if self.parts is None:
            refuse_shards(self.paths)
        collected = read_collected(
            self.paths,
            samples,
            top_k=plan.selection.top_k,
            retrieval_only=plan.selection.retrieval_only,
            mapping=line_mapping(plan.config),
            parts=self.parts,
        )
        if self.parts is not None:
            self.parts.refuse_half()
            collected = replace(collected, manifest=self.parts.manifest(samples))
        if self.foreign:
            from ragate.pipeline.decide.untrusted_claims import distrust

            collected = distrust(collected, baseline)
        return collected


class _StoredSystem(PassSystem):
    """What files hold, as a system that has recorded passes and no more."""

    def __init__(self, source: FilesSource, plan: RunPlan, info: SystemInfo, passes: int) -> None:
        self._source = source
        self._plan = plan
        self.info = info
        self.max_runs = passes

    async def prepare(self, *, rebuild: bool = False) -> None:  # noqa: ARG002 - files stay
        return

    async def documents(self) -> frozenset[str] | None:
        return None

    async def answer_pass(
        self, samples: Sequence[Sample], run: int, *, on_output: OnOutput, room: Room
    ) -> Outputs:
        """Return what the files hold of a proposed golden set's samples in one pass."""
        held = self._proposed[run] if run < len(self._proposed) else {}
        outputs = {sample.id: held[sample.id] for sample in samples if sample.id in held}
        for sample in samples:
            if sample.id in outputs:
                on_output(sample, outputs[sample.id], run)
                await room()
        return outputs

    @cached_property
    def _proposed(self) -> Sequence[Outputs]:
        from ragate.pipeline.decide.gate_setup import load_samples

        proposal = self._plan.proposal
        if proposal is None:
            return ()
        samples = load_samples(proposal.config, self._plan.selection.filters)
        return self._source.read(self._plan, samples, None).passes


def refuse_shards(paths: Sequence[Path]) -> None:
    """Raise for a shard that is to be judged as a whole run: what others hold would be missed."""
    for path in paths:
        header = read_header(path) if written_by_ragate(path) else None
        if header is not None and header.shard is not None:
            name = f"{header.shard.number}/{header.shard.of}"
            raise UsageError(
                f"{path}: shard {name} of a plan, not a whole run",
                remedy="judge it with the others: ragate decide --plan, or the action's `shards`",
            )


def refuse_other_system(config: Config, collected: Collected) -> None:
    """Raise where the outputs come from a kind of system that the policy does not name."""
    use = collected.manifest.system.use
    if use not in config.policy.systems:
        raise UsageError(
            f"the outputs come from a {use!r} system; [policy] systems = "
            f"{list(config.policy.systems)}",
            remedy=f"collect them from one of these, or add {use!r} to the policy first",
        )


def hint_at_filters(operations: Operations, collected: Collected, selection: Selection) -> None:
    """Say where the outputs are fewer on purpose: what a file says of itself decides nothing."""
    manifest = collected.manifest
    bare = manifest.retrieval_only
    if manifest.filters != selection.filters or bare != selection.retrieval_only:
        operations.say(
            "the outputs were collected with other filters (--ids, --tags, --where, --limit, "
            "--skip, --profile, --retrieval-only): give `decide` the same, or what is not there "
            "counts as unmeasured"
        )
    date = manifest.eval_date
    if date and date != date_of(selection.eval_date):
        operations.say(
            f"the outputs were collected as of {date}: `decide --eval-date {date}` lets a judge "
            "read the questions so"
        )
