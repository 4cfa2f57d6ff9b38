"""A run that was interrupted goes on: with what it was begun, and without asking anything again.

Whoever may draw an answer twice keeps the better one. So only the very run goes on: the same
commit and files, rules, questions and side of trust; and what it finished stays as it is.
"""

from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from functools import partial

from ragate.config import Config
from ragate.errors import UsageError
from ragate.models import Run, Sample
from ragate.pipeline.resume.begun_state import begun_state, refuse_another
from ragate.pipeline.resume.brought_run import bring_interrupted
from ragate.pipeline.resume.finished_outputs import finished_outputs, is_recent
from ragate.pipeline.run.opened_system import OpensSystem, open_here
from ragate.pipeline.run.ready_system import ReadySystem, open_ready_system
from ragate.pipeline.run.selection import Selection
from ragate.pipeline.run.system_session import Session
from ragate.runtime.operations import Operations
from ragate.stores.begun_run import BegunRun, BegunState, find_interrupted, save_begun
from ragate.stores.local import LocalStore
from ragate.stores.postgres.open_store import reach_store, sent_at_the_end
from ragate.stores.run_files import OUTPUTS
from ragate.stores.spent_calls import SpentBy, SpentCalls


@dataclass(frozen=True)
class RunStart:
    """How a run begins, or goes on.

    Attributes:
        interrupted: The run that goes on, None for a new one.
        opens: Gives what is asked.
    """

    config: Config
    operations: Operations
    command: str
    selection: Selection
    interrupted: BegunRun | None = None
    opens: OpensSystem = open_here

    @property
    def store(self) -> LocalStore:
        return LocalStore(self.operations.state)

    def state(self, samples: Sequence[Sample]) -> BegunState:
        """Return what the run is begun with."""
        return begun_state(self.config, self.operations, samples, self.command)

    def open_system(
        self, samples: Sequence[Sample], baseline: Run | None, *, judged: bool = True
    ) -> AbstractAsyncContextManager[ReadySystem]:
        """Return the system under test, to be opened; the arguments are `open_ready_system`'s.

        Raises:
            UsageError: the interrupted run was begun with something else; names all that differs.
        """
        if self.interrupted is not None:
            refuse_another(self.interrupted, self.state(samples), self.operations, self.store)
        return open_ready_system(
            self.config,
            self.operations,
            samples,
            self.selection,
            baseline=baseline,
            judged=judged,
            interrupted=self.interrupted,
            opens=self.opens,
        )

    def note(self, session: Session, samples: Sequence[Sample]) -> None:
        """Note with what this run begins, before anything is asked."""
        if self.interrupted is None:
            save_begun(self.store, _begun(session, self.selection, self.state(samples)))
            self._keep_spending(session)

    def take_up(self, session: Session, samples: Sequence[Sample]) -> int:
        """Take over what the interrupted run finished; return its passes of earlier runs."""
        run = self.interrupted
        if run is None:
            return 0
        self._keep_spending(session)
        passes = finished_outputs(self.store.folder(run.run_id) / OUTPUTS, samples)
        earlier = sum(each.passes for each in run.earlier)
        session.go_on(samples, passes, adopted=earlier)
        session.collected.manifest = session.collected.manifest.amended(
            evidence=run.evidence, earlier=run.earlier, same_state=run.same_state
        )
        count = sum(map(len, passes[earlier:]))
        self.operations.say(f"goes on with run {run.run_id}: {count} outputs are there")
        return earlier

    def _keep_spending(self, session: Session) -> None:
        """Let calls and money of the run count together, however often it is interrupted."""
        budget = session.ready.opened.budget
        spent = SpentCalls(self.store.folder(session.collected.manifest.run_id))
        by = SpentBy.ALONE if budget.share is None else SpentBy.SUBMITTER
        # What workers spent is told by themselves where they go on with the run.
        counted = SpentBy if budget.share is None else (SpentBy.ALONE, SpentBy.SUBMITTER)
        calls, cost_usd = spent.total(*counted)
        spent.keep(budget.tally.calls, budget.tally.cost_usd, by)
        budget.tally.calls += calls
        budget.tally.cost_usd += cost_usd
        budget.keep = partial(spent.keep, by=by)

    def end(self, session: Session) -> None:
        """Note that the run came to its end, where it leaves no scores to say so."""
        manifest = session.collected.manifest
        run = find_interrupted(
            self.store, manifest.run_id, gate=self.config.gate, command=self.command
        )
        save_begun(self.store, run.amended(ended=True))
        operations = self.operations
        sent_at_the_end(operations.runs_url, self.store.folder(run.run_id), operations.say)


def start_run(
    config: Config,
    operations: Operations,
    selection: Selection,
    *,
    command: str,
    resume: str = "",
    opens: OpensSystem = open_here,
) -> RunStart:
    """Return how a run begins.

    Args:
        resume: The id of a run that was interrupted, ``latest``, or "" for a new run.
        opens: Gives what is asked.

    Raises:
        UsageError: there is no such run, it came to its end, or other samples are asked for.
    """
    reach_store(operations.runs_url)
    if not resume:
        return RunStart(config, operations, command, selection, opens=opens)
    store = LocalStore(operations.state)
    if operations.runs_url:
        resume = bring_interrupted(config, operations, resume, command=command)
    run = find_interrupted(store, resume, gate=config.gate, command=command)
    begun = Selection(run.filters, run.top_k, run.retrieval_only, run.runs, run.eval_date)
    if selection not in (Selection(), begun):
        raise UsageError(
            f"--resume {run.run_id}: it was begun with other options",
            remedy="leave out what chooses samples, passes and metrics: the run has its own",
        )
    if not is_recent(store.folder(run.run_id) / OUTPUTS):
        raise UsageError(
            f"--resume {run.run_id}: its last output is older than a day",
            remedy="what answers may be another build by now: begin a new run",
        )
    begun = replace(begun, eval_date=run.asked_on or run.eval_date)
    return RunStart(config, operations, command, begun, run, opens)


def _begun(session: Session, selection: Selection, state: BegunState) -> BegunRun:
    manifest = session.collected.manifest
    return BegunRun(
        run_id=manifest.run_id,
        state=state,
        filters=selection.filters,
        top_k=selection.top_k,
        retrieval_only=selection.retrieval_only,
        runs=selection.runs,
        eval_date=selection.eval_date,
        asked_on=manifest.eval_date,
        evidence=manifest.evidence,
        earlier=manifest.earlier,
        same_state=manifest.same_state,
    )
