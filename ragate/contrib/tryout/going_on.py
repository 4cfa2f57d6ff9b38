"""A trial that was interrupted goes on: each variant's run is the run that it was.

A trial is nothing but its runs: each notes the trial that it is of, as a run notes its ``--meta``,
and goes on as an interrupted run of `check` does, by the same rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from ragate.config import Config
from ragate.errors import DatasetError, StorageError, UsageError
from ragate.guards.redact import MASK
from ragate.models import Sample
from ragate.outputs.outputs_file import read_outputs
from ragate.resources.operations import Operations
from ragate.run.note import begun_state
from ragate.run.plan import RunPlan
from ragate.run.resume import is_recent, refuse_another
from ragate.stores import BEGUN, OUTPUTS
from ragate.stores.begun_run import BegunRun, find_interrupted, interrupted_run
from ragate.stores.local import LocalStore, new_run_id

COMMAND = "try"
META = "trial"  # the key under which a run notes it


@dataclass(frozen=True)
class TrialRuns:
    """The runs of one trial that did not come to their end.

    Attributes:
        trial: Its id, which every run of it notes.
        runs: Empty where it begins now.
    """

    trial: str
    runs: Sequence[BegunRun] = ()

    @property
    def goes_on(self) -> bool:
        return bool(self.runs)

    def noted(self, operations: Operations) -> Operations:
        """Return the operations under which a run notes what trial it is of."""
        labels = replace(operations.labels, meta={**operations.labels.meta, META: self.trial})
        return replace(operations, labels=labels)

    def resumed(self, plans: Sequence[RunPlan], samples: Sequence[Sample]) -> list[RunPlan]:
        """Return the plans, each with the run that it goes on with; a new variant has none.

        Raises:
            UsageError: no run is of these variants, or one was begun with something else.
        """
        if not self.goes_on:
            return list(plans)
        going_on = [self._resumed(plan, samples) for plan in plans]
        if all(plan.interrupted is None for plan in going_on):
            theirs = "; ".join(" ".join(run.filters.settings) or "[system]" for run in self.runs)
            raise UsageError(
                f"--resume: the trial {self.trial} was begun with other variants: {theirs}",
                remedy="give the same --set or --variant as before, and --resume",
            )
        return going_on

    def _resumed(self, plan: RunPlan, samples: Sequence[Sample]) -> RunPlan:
        settings = plan.selection.filters.settings
        alike = [run for run in self.runs if run.filters.settings == settings]
        state = begun_state(plan, samples)
        same = [run for run in alike if run.state.system == state.system]
        if any(text.endswith(f"={MASK}") for text in settings):
            alike = same  # the value that is not told may be another
        if not alike:
            return plan
        run = (same or alike)[0]
        folder = LocalStore(plan.operations.state).folder(run.run_id)
        if not is_recent(folder / OUTPUTS):
            raise UsageError(
                f"--resume: the last output of {run.run_id} is older than a day",
                remedy="what answers may be another build by now: begin a new trial",
            )
        chosen, selection = plan.selection, replace(plan.selection, eval_date=run.eval_date)
        begun = replace(
            chosen, filters=run.filters, retrieval_only=run.retrieval_only, runs=run.runs
        )
        if begun != chosen or selection != chosen:
            raise UsageError(
                f"--resume: the trial {self.trial} was begun with other options",
                remedy="give the same options as before, and --resume",
            )
        refuse_another(run, state, folder)
        eval_date = run.asked_on or run.eval_date
        return replace(plan, selection=replace(chosen, eval_date=eval_date), interrupted=run)


def runs_of_trial(operations: Operations, config: Config, resume: str) -> TrialRuns:
    """Return the runs of the trial that goes on; of a new one where none is asked for.

    Args:
        resume: As of ``--resume``: the id of a run of the trial, ``latest`` for the newest trial
            that was interrupted, "" for a new one.

    Raises:
        UsageError: there is no such run, or it came to its end.
    """
    if not resume:
        return TrialRuns(new_run_id())
    store = LocalStore(operations.state)
    run = find_interrupted(store, resume, gate=config.gate, command=COMMAND)
    trial = _trial_of(store, run)
    if not trial:
        raise UsageError(
            f"--resume {run.run_id}: this is a run of `ragate {run.state.command}`, and none of a "
            "trial",
            remedy="leave the id out for the newest trial that was interrupted",
        )
    return TrialRuns(
        trial, [each for each in _interrupted(store) if _trial_of(store, each) == trial]
    )


def _interrupted(store: LocalStore) -> Iterator[BegunRun]:
    for path in sorted(store.runs.glob(f"*/{BEGUN}")):
        with suppress(UsageError, StorageError):
            run = interrupted_run(store, path.parent.name)
            if run.state.command == COMMAND:
                yield run


def _trial_of(store: LocalStore, run: BegunRun) -> str:
    """Return the trial that a run notes, "" where it notes none."""
    try:
        header, _ = read_outputs(store.folder(run.run_id) / OUTPUTS)
    except DatasetError:  # it says so where it is to go on
        return ""
    return "" if header is None else header.manifest.meta.get(META, "")
