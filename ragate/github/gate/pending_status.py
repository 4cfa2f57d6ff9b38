"""A status before there is a verdict: the collecting run has begun, or an error came too early."""

from ragate.config import load_config
from ragate.errors import RagateError
from ragate.github.commits.change import PRIVILEGED, Change
from ragate.github.event.event import Event
from ragate.github.gate.step_context import ModeOutcome, StepContext
from ragate.github.publish import VerdictTarget
from ragate.github.rest.repository import Repository

ANNOUNCED = "announced"
_BEGUN = frozenset({"requested", "in_progress"})


def is_begun(event: Event) -> bool:
    """Return whether the collecting run has only begun: it left no outputs yet."""
    return event.run is not None and event.action in _BEGUN


def announce_pending(context: StepContext, repository: Repository, change: Change) -> ModeOutcome:
    """Set the pending status of a commit whose outputs are being collected.

    Nothing where the run is over by now, since its own event sets the status, and where only the
    pull request would name the gate.
    """
    assert context.event.run is not None
    run = repository.run(context.event.run.id)
    over = run.get("status") == "completed" or run.get("run_attempt") != context.event.run.attempt
    name = context.inputs.gate or ("" if over else _policy_gate(context, repository, change))
    if over or not name:
        return ModeOutcome(ended_as="nothing")
    context.announce(VerdictTarget(name, change.base.head, change.number))
    return ModeOutcome(ended_as=ANNOUNCED)


def _policy_gate(context: StepContext, repository: Repository, change: Change) -> str:
    with context.scratch() as folder:
        policy = context.policy_at(repository, change.base.sha, folder)
    return policy.gate if policy is not None else ""


def early_target(context: StepContext) -> VerdictTarget | None:
    """Return what an error is about that came before the base's policy was read.

    The event names the commit. The gate's name is the workflow's; in mode check, whose workflow is
    the pull request's own already, it may be that of the checked-out configuration.
    """
    event, mode = context.event, context.inputs.mode
    if mode not in ("check", "decide") or (event.name in PRIVILEGED and mode == "check"):
        return None
    name = context.inputs.gate or (_checked_out_gate(context) if mode == "check" else "")
    if not name or is_begun(event):
        return None
    if event.pull is not None:
        return VerdictTarget(name, event.pull.head_sha, event.pull.number)
    if event.merge_group is not None:
        return VerdictTarget(name, event.merge_group.head_sha)
    if event.run is not None and event.run.event in ("pull_request", "merge_group"):
        return VerdictTarget(name, event.run.head_sha)
    return None


def _checked_out_gate(context: StepContext) -> str:
    try:
        return load_config(context.config_path).gate
    except RagateError:
        return ""
