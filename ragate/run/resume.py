"""A run that was interrupted goes on: with what it was begun, and without asking anything again.

Whoever may draw an answer twice keeps the better one. So only the very run goes on: the same
commit and files, rules, questions and side of trust; and what it finished stays as it is.
"""

import shlex
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ragate.answers.collected_outputs import read_collected
from ragate.answers.output_spool import Outputs, Spool
from ragate.answers.run_profile import Selection
from ragate.answers.system_session import Session
from ragate.core.comparison.run_passes import is_measured
from ragate.core.text.wording import listed
from ragate.errors import UsageError
from ragate.gate.compare_and_decide import Decided
from ragate.gate.gate_setup import GateSetup
from ragate.models import Sample
from ragate.repository import git
from ragate.resources.resources import Opened
from ragate.run.hooks import Remarks
from ragate.run.note import begun_state, keep_spending
from ragate.run.plan import RunPlan
from ragate.scoring.scorer import Scorer
from ragate.stores import OUTPUTS
from ragate.stores.begun_run import BegunRun, BegunState, find_interrupted
from ragate.stores.local import LocalStore, open_store

MOST_NAMED = 5
_LONGEST_S = 24 * 3600.0  # what stands outside of git may be another one by then


def resumed(plan: RunPlan, name: str) -> RunPlan:
    """Return the plan of a run that goes on, with its own selection.

    Args:
        name: The id of a run that was interrupted, or ``latest``.

    Raises:
        UsageError: there is no such run, it came to its end, or other samples are asked for.
    """
    store, gate, command = open_store(plan.operations), plan.config.gate, plan.command
    name = store.fetch_interrupted(name, gate=gate, command=command, root=plan.config.root)
    run = find_interrupted(store, name, gate=gate, command=command)
    begun = Selection(run.filters, run.retrieval_only, run.runs, run.eval_date)
    if plan.selection not in (Selection(), begun):
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
    return replace(plan, selection=begun, interrupted=run)


class GoOn:
    """Takes up what the run had, where it was begun with the same."""

    def __init__(self, plan: RunPlan, setup: GateSetup) -> None:
        if plan.interrupted is None:
            raise AssertionError("a run that goes on, and none was interrupted")
        self._plan, self._run = plan, plan.interrupted
        self._samples, self._store = setup.samples, LocalStore(plan.operations.state)
        self._session: Session | None = None

    def opening(self, _opened: Opened) -> None:
        """Refuse a run that was begun with something else.

        Raises:
            UsageError: names all that differs.
        """
        now = begun_state(self._plan, self._samples)
        refuse_another(self._run, now, self._store.folder(self._run.run_id))

    def opened(self, session: Session, _scorer: Scorer) -> None:
        """Take over what the run finished."""
        run, samples = self._run, self._samples
        keep_spending(session)
        passes = finished_outputs(self._store.folder(run.run_id) / OUTPUTS, samples)
        earlier = sum(each.passes for each in run.earlier)
        session.go_on(samples, passes, adopted=earlier)
        session.collected.manifest = session.collected.manifest.amended(
            evidence=run.evidence, earlier=run.earlier, same_state=run.same_state
        )
        count = sum(map(len, passes[earlier:]))
        self._plan.operations.say(f"goes on with run {run.run_id}: {count} outputs are there")
        self._session = session

    def decided(self, _decided: Decided) -> Remarks:
        """Say that the run was interrupted, and what of it does not count."""
        left_over = self._session.left_over if self._session is not None else 0
        warning = (
            f"{left_over} outputs of a further pass, from before the interruption, are "
            "not counted: the first look asks for none now"
        )
        return Remarks(
            lines=("The run was interrupted, and went on with the outputs that it had.",),
            warnings=(warning,) if left_over else (),
        )


def is_recent(path: Path) -> bool:
    """Return whether an outputs file was written within a day; False where there is none."""
    try:
        return 0.0 <= time.time() - path.stat().st_mtime <= _LONGEST_S
    except OSError:
        return False


def finished_outputs(path: Path, samples: Sequence[Sample]) -> list[Outputs]:
    """Return the outputs of an interrupted run, whose file is mended, pass by pass.

    What a provider left unanswered is none, and is asked again.

    Raises:
        DatasetError: the file cannot be read; names the line.
    """
    return [_answered(outputs, samples) for outputs in read_collected([path], samples).passes]


def _answered(outputs: Outputs, samples: Sequence[Sample]) -> Outputs:
    answered = Spool()
    for sample in samples:
        output = outputs.get(sample.id)
        if output is not None and is_measured(output):
            answered[sample.id] = output
    return answered


def refuse_another(run: BegunRun, now: BegunState, folder: Path) -> None:
    """Raise where an interrupted run was begun with something else, or by somebody else.

    Raises:
        UsageError: names all that differs.
    """
    top = git.repository(folder)
    if top is not None and git.is_tracked(top, folder):
        raise UsageError(
            f"--resume {run.run_id}: its folder is in git, so anybody may have written it",
            remedy=f"`git rm -r --cached {folder.parents[1].name}`, ignore it, begin a new run",
        )
    differing = list(_differences(run.state, now))
    if not (run.state.commit and now.commit):
        differing.append(f"no commit, or over {git.MOST_CHANGED:,} files that differ from it")
    if differing:
        raise UsageError(
            f"--resume {run.run_id}: it was begun with something else: {'; '.join(differing)}",
            remedy="put that back, or begin a new run; `ragate decide "
            f"{shlex.quote(str(folder / OUTPUTS))}` judges the outputs that are there",
        )


def _differences(then: BegunState, now: BegunState) -> Iterator[str]:
    """Yield what differs, in words."""
    names = {"side": "side of trust", "ragate_version": "version of ragate"}
    for field in ("command", "gate", "side", "ragate_version", "commit"):
        before, after = getattr(then, field), getattr(now, field)
        if before != after:
            yield f"{names.get(field, field)} ({before or 'none'}, now {after or 'none'})"
    pairs = (("files", "changed"), ("[policy]", "policy"), ("[system]", "system"))
    for noun, field in pairs:
        if keys := _differing(getattr(then, field), getattr(now, field)):
            yield f"{noun} {listed(keys, most=MOST_NAMED)}"
    if then.dataset != now.dataset:
        yield "golden set"
    if then.baseline != now.baseline:
        yield "baseline"


def _differing(then: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    return sorted(key for key in {*then, *now} if then.get(key) != now.get(key))
