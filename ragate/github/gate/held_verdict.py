"""A pull request comes to a branch with a verdict of another: the verdict waits for a new one.

The half that collects is the change's own workflow, so a change can have it run for one branch and
not for the next. This runs from the default branch's workflow under ``pull_request_target``: it
checks nothing out, reads no outputs, and only takes a status back.
"""

import tempfile
from pathlib import Path

from ragate.github.commits.merge_commit import branch_tip
from ragate.github.commits.shared_commit import other_branches
from ragate.github.gate.result_artifact import gate_name
from ragate.github.gate.step_context import ModeOutcome, StepContext
from ragate.github.rest.git_database import Json
from ragate.github.rest.repository import Repository, gate_statuses

# The events by which a commit that was judged already gets to another branch.
_ARRIVALS = frozenset({"opened", "reopened"})


def hold_verdict(context: StepContext, repository: Repository) -> ModeOutcome:
    """Set the status back to pending where it was given before the pull request came here.

    Raises:
        GitHubApiError: the API is out; the status stands.
        UsageError: the event is about no pull request.
    """
    event = context.event
    arrived = event.action in _ARRIVALS or (event.action == "edited" and event.base_changed)
    if event.pull is None or not arrived:
        return _untouched(context)
    head, branch = event.pull.head_sha, event.pull.base_ref
    if event.default_branch in other_branches(event, repository, head, branch):
        return _untouched(context)
    with tempfile.TemporaryDirectory(prefix="ragate-gate-") as folder:
        tip = branch_tip(repository, branch)
        gate = gate_name(context, repository, tip, Path(folder).resolve())
    newest = next(iter(gate_statuses(repository, gate, head)), None)
    if newest is None or newest["state"] == "pending" or not _is_older(newest, context):
        return _untouched(context)
    waiting = f"waits for outputs that are collected against {branch}"
    repository.set_status(head, "pending", f"ragate/{gate}", waiting, event.run_url)
    context.log.plain(f"the verdict on {head[:7]} was given for another branch or time: {waiting}")
    return ModeOutcome(ended_as="superseded")


def _untouched(context: StepContext) -> ModeOutcome:
    context.log.plain("no verdict was given before the pull request came to this branch")
    return ModeOutcome(ended_as="superseded")


def _is_older(status: Json, context: StepContext) -> bool:
    """Whether a status is from before the event; what is not known counts as older."""
    assert context.event.pull is not None
    when, event = str(status.get("created_at") or ""), context.event.pull.updated_at
    return not (when and event) or when <= event
