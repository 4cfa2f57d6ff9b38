"""Mode ``command``: obey one ``/ragate …`` comment.

Nothing of a pull request is checked out or run: commands work on what earlier runs stored.
"""

from pathlib import Path

from ragate.errors import ConfigError, ProviderError, RagateError, StorageError, UsageError
from ragate.extension import extensions, loaded
from ragate.github.commits.commit_tree import BaseUnreadableError
from ragate.github.event.event import CommentRef
from ragate.github.event.slash_command import HELP, Command, parse_command
from ragate.github.gate.acceptances import may_write
from ragate.github.gate.step_context import ModeOutcome, StepContext
from ragate.github.modes.obey import (
    SENTENCE,
    CommentRequest,
    RefusedError,
    accept,
    rerun,
    update_baseline,
    usage,
)
from ragate.github.publish import VerdictTarget
from ragate.github.rest.repository import Repository, UnlistedError, login_of
from ragate.guards.escape import code
from ragate.models import Report

DONE = "obeyed"
NOTHING = "nothing"
# What its author can act on is told in a reply; what is out of order fails the job.
_TOLD = (
    RefusedError,
    ConfigError,
    ProviderError,
    StorageError,
    BaseUnreadableError,
    UnlistedError,
)


def run_command(context: StepContext) -> ModeOutcome:
    """Obey the event's comment; the outcome's report, if there is one, is to be published.

    Raises:
        GitHubApiError: it is not known whether the author may, or the API is out: nothing, or not
            all, was done.
        UsageError: the event is no comment, or there is no token.
    """
    repository = context.repository
    if repository is None:
        raise UsageError(
            "mode command needs a github-token", remedy="leave the input at its default"
        )
    comment = commanding_comment(context, repository)
    if comment is None:
        return ModeOutcome(ended_as=NOTHING)
    with context.scratch() as folder:
        request = read_request(context, repository, comment, folder)
        if request is None:
            return ModeOutcome(ended_as=NOTHING)
        try:
            report = _obey(request)
        except _TOLD as error:
            request.reply([_sentence(error)])
            return ModeOutcome(ended_as=NOTHING)
    target = VerdictTarget(report.gate, report.head, request.number) if report is not None else None
    return ModeOutcome(report=report, ended_as=DONE, target=target)


def commanding_comment(context: StepContext, repository: Repository) -> CommentRef | None:
    """Return the event's comment where it commands something and its author may.

    Nothing is written for somebody who may not give commands, not even a reply.

    Raises:
        GitHubApiError: it cannot be found out whether the author may; nothing is done then.
        UsageError: the event is no comment.
    """
    event, comment = context.event, context.event.comment
    if event.name != "issue_comment" or comment is None:
        raise UsageError(
            f"mode command on the event {event.name!r}: it reads comments",
            remedy="start the workflow on: issue_comment: types: [created]",
        )
    if event.action != "created" or not comment.is_pull or not comment.body.startswith("/ragate"):
        context.log.plain("no command in this comment")
        return None
    if not may_write(repository, comment.author, comment.author_type):
        context.log.plain(
            "the author of this comment may not write to the repository: nothing done"
        )
        return None
    return comment


def read_request(
    context: StepContext, repository: Repository, comment: CommentRef, folder: Path
) -> CommentRequest | None:
    """Return the command of a comment; None where it is none, or cannot be meant, which is told."""
    try:
        command, lines = parse_command(comment.body), []
    except UsageError as error:
        command, lines = Command(HELP), [code(error.message, SENTENCE), usage()]
    if command is None:
        return None
    bot, pull = login_of(repository.api), repository.pull(comment.number)
    request = CommentRequest(context, repository, comment, command, bot, pull, folder)
    if problem := _problem(request):
        lines = [problem]
    if lines:
        request.reply(lines)
        return None
    return request


def _problem(request: CommentRequest) -> str:
    """Return why the command cannot be meant for the pull request as it is, "" where it can."""
    head, sha = request.head, request.command.sha
    if request.command.verb == HELP:
        return ""
    if request.pull.get("state") != "open":
        return "This pull request is closed: nothing done."
    if not head.startswith(sha):
        return (
            f"The head is {code(head[:7])} and the command names {code(sha[:12])}: nothing done. "
            "Look at the new commit first."
        )
    return ""


def _obey(request: CommentRequest) -> Report | None:
    verb, named = request.command.verb, request.command.gate
    if verb == HELP:
        request.reply([usage()])
        return None
    if named not in ("", request.gate):
        request.context.log.plain(f"the command is for the gate {named}, this is {request.gate}")
        return None
    if verb == "rerun":
        rerun(request)
        return None
    if verb == "accept":
        return accept(request)
    if verb == "update-baseline":
        return update_baseline(request)
    for each in extensions():
        if brought := each.comment_commands.get(verb):
            loaded(each, brought.path)(request)
    return None


def _sentence(error: RagateError) -> str:
    remedy = f" {code(error.remedy, SENTENCE)}" if error.remedy else ""
    return f"Nothing done: {code(error.message, SENTENCE)}{remedy}"
