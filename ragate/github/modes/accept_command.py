"""``/ragate accept`` and ``/ragate rerun``."""

from ragate.github.gate.acceptances import SYSTEM, acceptances, binding_line, can_fail, is_bound
from ragate.github.gate.result_artifact import StoredResult
from ragate.github.modes.conversation import SENTENCE, Conversation, RefusedError
from ragate.github.rest.api import GitHubApiError
from ragate.github.rest.artifacts import runs_with_results
from ragate.github.rest.repository import Json, Repository, without_own
from ragate.models import Acceptance, Report
from ragate.support.escape import code, name
from ragate.support.settings import nearest

# No permission, gone, under way or too old.
_NOT_STARTED = (403, 404, 409, 422)


def accepted(talk: Conversation, stored: StoredResult) -> tuple[Acceptance, ...]:
    """Return what is accepted now for a stored result."""
    authors = without_own(stored.config.policy, talk.repository, talk.number)
    return acceptances(talk.repository, talk.number, stored.scope, talk.bot, without=authors)


def decide_stored(talk: Conversation, stored: StoredResult) -> Report:
    """Decide again on a stored result with what is accepted for it now."""
    return stored.decided(accepted(talk, stored))


def accept(talk: Conversation, stored: StoredResult) -> Report:
    """Take the drop of some metrics at this commit: the reply is the record, then the verdict.

    Raises:
        RefusedError: there is nothing to accept, the head has moved, or it is the author's own.
        GitHubApiError: nothing, or only the record, was written; the same comment can be run again.
    """
    _refuse_own(talk, stored)
    _refuse_idle(talk, decide_stored(talk, stored), stored)
    comments = talk.repository.comments(talk.number)
    if not is_bound(comments, talk.comment.id, talk.bot):
        if not talk.same_head():
            raise RefusedError("The head has moved meanwhile: nothing is accepted.")
        metrics = ", ".join(name(metric) for metric in talk.command.metrics)
        accept_only = f"<b>Accepted at {code(stored.head[:7])} only:</b> {metrics}"
        lines = [
            f"{accept_only}, since {code(talk.command.reason, SENTENCE)}.",
            "It lapses with the next commit, and when the outputs of this one change.",
        ]
        talk.reply(lines, first_line=binding_line(stored.scope, talk.comment.id))
    return decide_stored(talk, stored)


def _refuse_own(talk: Conversation, stored: StoredResult) -> None:
    if talk.comment.author in without_own(stored.config.policy, talk.repository, talk.number):
        raise RefusedError(
            "The base's policy says accept_own = false, and this pull request holds changes of "
            f"{talk.comment.author!r}: somebody else has to accept it."
        )


def _refuse_idle(talk: Conversation, report: Report, stored: StoredResult) -> None:
    rows = {row.key: row for row in report.decision.rows}
    deciding = can_fail(stored.config.policy.rules, report.decision)
    for metric in talk.command.metrics:
        row = rows.get(metric)
        if metric == SYSTEM and stored.result.problems:
            continue
        if row is None or metric not in deciding:
            hint = nearest(metric, [*deciding, *([SYSTEM] if stored.result.problems else [])])
            raise RefusedError(f"{metric!r} is no metric that this gate can fail on{hint}")
        # A net loss that is only yellow stops the recording on the default branch.
        if not row.blocks and not row.accepted and not row.loses_beyond_limit:
            raise RefusedError(
                f"{metric} does not fail at {report.head[:7]}: there is nothing to accept. What "
                "was not measured or compared cannot be accepted either."
            )


def rerun(talk: Conversation, gate: str) -> None:
    """Run the workflow of this commit once more: its outputs are added to those that are there.

    Raises:
        RefusedError: no run of this commit left anything, or it is still running.
    """
    runs = runs_with_results(talk.repository, gate, talk.head)
    if not runs:
        raise RefusedError(f"No run of {talk.head[:7]} left outputs of the gate {gate}.")
    if runs[0].get("status") != "completed":
        raise RefusedError("The run of this commit is still under way.")
    if problem := restart(talk.repository, runs[0]):
        raise RefusedError(problem)
    attempt = int(runs[0].get("run_attempt") or 1) + 1
    sentence = (
        f"Attempt {attempt} of {code(talk.head[:7])} is started. Its outputs are added to the "
        "earlier ones and all are judged together: a re-run is more evidence, not a new draw."
    )
    talk.reply([sentence])


def restart(repository: Repository, run: Json) -> str:
    """Start a run again; return why it could not be started, "" where it was.

    Raises:
        GitHubApiError: the API is out, or it is not known whether the run was started.
    """
    try:
        repository.rerun(int(run["id"]))
    except GitHubApiError as error:
        if error.status not in _NOT_STARTED:
            raise
        return (
            f"The run could not be started again: {error.message} (it needs actions: write, a run "
            "that is over, and one of the last 30 days)."
        )
    return ""
