"""What earlier runs left that counts here: passes of this commit, accepts."""

import shutil

from ragate.config import Config
from ragate.errors import RagateError
from ragate.extension import extensions, loaded
from ragate.github.commits.change import Change
from ragate.github.gate.acceptances import AcceptScope, acceptances, outputs_digest, takes_system
from ragate.github.gate.left_result import fetched_results
from ragate.github.gate.step_context import StepContext
from ragate.github.rest.repository import (
    Repository,
    gate_statuses,
    login_of,
    without_own,
)
from ragate.models import Acceptance, Report, Run, Verdict
from ragate.resources.operations import Operations
from ragate.runs.compare_stored import decide_again
from ragate.stores.local import LocalStore


def restore_passes(context: StepContext, gate: str, head: str, operations: Operations) -> None:
    """Bring the passes of this commit's earlier attempts back to the state folder.

    The line adopts them where they are of the very same state, so that running a commit again adds
    evidence. Without them the run is judged on its own, which is said.
    """
    repository = context.repository
    if repository is None:
        return
    try:
        if context.event.run_attempt < 2 and not _judged_before(context, repository, gate, head):
            return
        with context.scratch() as folder:
            results = fetched_results(context, repository, gate, head, folder)
            whole = (each for each in results if each.result.run_id and each.run.is_dir())
            if newest := next(whole, None):  # it holds the passes of all before it
                target = LocalStore(operations.state).folder(newest.result.run_id)
                shutil.copytree(newest.run, target, dirs_exist_ok=True)
    except (RagateError, OSError) as error:
        context.log.warning(f"earlier attempts of this commit could not be read: {error}")


def _judged_before(context: StepContext, repository: Repository, gate: str, head: str) -> bool:
    """Return whether another run judged this commit of a pull request, as before it was reopened.

    The first attempt of a new run is no new draw either.
    """
    this_run = f"/actions/runs/{context.event.run_id}"
    return context.event.pull is not None and any(
        this_run not in f"{status.get('target_url') or ''}/".partition("/attempts/")[0]
        for status in gate_statuses(repository, gate, head)
    )


def let_prepare(context: StepContext, gate: str, head: str, operations: Operations) -> None:
    """Let extensions bring what an earlier job left for this commit to the state folder."""
    for each in extensions():
        for path in each.before_asking:
            loaded(each, path)(context, gate, head, operations)


def weigh_again(
    context: StepContext,
    config: Config,
    change: Change,
    report: Report,
    run: Run,
    problems: tuple[str, ...],
) -> tuple[Report, tuple[str, ...]]:
    """Return report and problems once more, with what was accepted of them.

    Args:
        problems: That another system answered, which is accepted as a whole.
    """
    repository = context.repository
    passed = report.decision.verdict is Verdict.PASSED and not problems
    if repository is None or passed:
        return report, problems
    scope = AcceptScope(config.gate, change.base.head, outputs_digest(run))
    taken = _accepted(context, repository, config, change.number, scope)
    if taken and report.decision.verdict is Verdict.FAILED:
        again = decide_again(config, run, accepted=taken)
        report = report.amended(decision=again.decision)
    return report, () if takes_system(taken) else problems


def _accepted(
    context: StepContext,
    repository: Repository,
    config: Config,
    number: int | None,
    scope: AcceptScope,
) -> tuple[Acceptance, ...]:
    if number is None:
        return ()
    try:
        authors = without_own(config.policy, repository, number)
        return acceptances(repository, number, scope, login_of(repository.api), without=authors)
    except RagateError as error:
        context.log.warning(f"what was accepted could not be read: {error.message}")
        return ()
