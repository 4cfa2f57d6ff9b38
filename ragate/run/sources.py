"""Where the outputs of a run come from: the system under test, or files of outputs.

`SystemSource` asks the system, here or where an option of an extension says; `FilesSource` reads
files, whole ones or the shards of one run (`ragate/outputs/shards.py`).
"""

from collections.abc import AsyncIterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from ragate.answers.collected_outputs import (
    Collected,
    OnOutput,
    Room,
    line_mapping,
    read_collected,
)
from ragate.answers.output_spool import Outputs
from ragate.answers.ready_system import (
    LookFirst,
    OpensSystem,
    PassSystem,
    ReadySystem,
    open_here,
    open_ready_system,
)
from ragate.answers.relative_dates import date_of
from ragate.answers.run_profile import Selection
from ragate.config import Config
from ragate.errors import UsageError
from ragate.gate.gate_setup import GateSetup
from ragate.models import Run, Sample, SystemInfo
from ragate.repository.git import head_commit
from ragate.resources.operations import Operations
from ragate.resources.resources import open_resources
from ragate.resources.run_labels import noted
from ragate.run.plan import RunPlan, Stop
from ragate.scores.ignored import ignored_scores
from ragate.stores.local import new_run_id


@dataclass(frozen=True)
class SystemSource:
    """The system under test, which is asked.

    Attributes:
        opens: Gives what is asked: the system itself, or workers that have it.
    """

    opens: OpensSystem = open_here

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
    """

    paths: Sequence[Path]
    foreign: bool = False

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
        if ignored := ignored_scores(self.paths):
            plan.operations.say(f"note: {ignored}")
        refuse_other_system(plan.config, collected)
        manifest = collected.manifest
        if plan.stop is Stop.DECIDED:
            hint_at_filters(plan.operations, collected, plan.selection)
            manifest = manifest.amended(
                run_id=new_run_id(),
                commit=plan.operations.commit or manifest.commit,
                filters=plan.selection.filters.amended(settings=manifest.filters.settings),
                retrieval_only=plan.selection.retrieval_only,
                earlier=() if self.foreign else manifest.earlier,
            )
            manifest = noted(manifest, plan.operations.labels)
        async with open_resources(plan.config, plan.operations) as opened:
            await look_first(opened)
            system = _StoredSystem(manifest.system, len(collected.passes))
            operations = plan.operations
            head = head_commit(plan.config.root)
            yield ReadySystem(system, opened, operations, manifest, head, passes=collected.passes)

    def read(self, plan: RunPlan, samples: Sequence[Sample], baseline: Run | None) -> Collected:
        """Return what the files hold of some samples; doubted where they are not trusted."""
        collected = read_collected(
            self.paths,
            samples,
            top_k=plan.selection.filters.top_k,
            retrieval_only=plan.selection.retrieval_only,
            mapping=line_mapping(plan.config),
        )
        if self.foreign:
            from ragate.gate.untrusted_claims import distrust

            collected = distrust(collected, baseline)
        return collected


class _StoredSystem(PassSystem):
    """What files hold, as a system that has recorded passes and is asked for no more."""

    def __init__(self, info: SystemInfo, passes: int) -> None:
        self.info = info
        self.max_runs = passes

    async def prepare(self, *, rebuild: bool = False) -> None:  # noqa: ARG002 - files stay
        return

    async def documents(self) -> frozenset[str] | None:
        return None

    async def answer_pass(
        self,
        samples: Sequence[Sample],  # noqa: ARG002 - files hold what they hold
        run: int,  # noqa: ARG002
        *,
        on_output: OnOutput,  # noqa: ARG002
        room: Room,  # noqa: ARG002
    ) -> Outputs:
        return {}


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
    collected_with = manifest.filters.amended(settings=())
    if collected_with != selection.filters or bare != selection.retrieval_only:
        operations.say(
            "the outputs were collected with other filters (--ids, --tags, --where, --limit, "
            "--skip, --top-k, --profile, --retrieval-only): give `decide` the same, or what is not "
            "there counts as unmeasured"
        )
    date = manifest.eval_date
    if date and date != date_of(selection.eval_date):
        operations.say(
            f"the outputs were collected as of {date}: `decide --eval-date {date}` lets a judge "
            "read the questions so"
        )
