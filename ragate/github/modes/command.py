"""Mode ``command``: obey one ``/ragate …`` comment.

Nothing of a pull request is checked out or run: commands work on what earlier runs stored.
"""

import tempfile
from pathlib import Path

from ragate.dataset import labels_beside
from ragate.errors import ConfigError, ProviderError, RagateError, StorageError, UsageError
from ragate.github.commits.commit_tree import BaseUnreadableError
from ragate.github.commits.merge_commit import branch_tip
from ragate.github.commits.policy_files import ConfigLocation
from ragate.github.gate.result_artifact import StoredResult, gate_name, open_stored
from ragate.github.gate.step_context import ModeOutcome, StepContext
from ragate.github.modes.accept_command import accept, rerun
from ragate.github.modes.conversation import (
    SENTENCE,
    Conversation,
    RefusedError,
    open_conversation,
    usage,
)
from ragate.github.modes.run_command import fulfil
from ragate.github.modes.update_command import update_baseline
from ragate.github.publish.labels_reply import label_lines, labels_reply
from ragate.github.publish.target import Announce, Target
from ragate.github.rest.api_error import GitHubApiError
from ragate.github.rest.repository import Repository, login_of
from ragate.models import Report, ReviewVerdict
from ragate.pipeline.labels_of_ids import labels_of_ids
from ragate.support.escape import code

LABELS = {"fine": ReviewVerdict.SAME, "worse": ReviewVerdict.WORSE}
DONE = "obeyed"
NOTHING = "nothing"
# What its author can act on is told in a reply; what is out of order fails the job.
_TOLD = (RefusedError, ConfigError, ProviderError, StorageError, BaseUnreadableError)


def run_command(context: StepContext, announce: Announce) -> ModeOutcome:  # noqa: ARG001
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
    talk = open_conversation(repository, context.event, login_of(repository.api), context.log.plain)
    if talk is None:
        return ModeOutcome(ended_as=NOTHING)
    try:
        with tempfile.TemporaryDirectory(prefix="ragate-command-") as folder:
            report = _obey(context, repository, talk, Path(folder).resolve())
    except GitHubApiError:
        raise
    except _TOLD as error:
        talk.reply([_sentence(error)])
        return ModeOutcome(ended_as=NOTHING)
    target = Target(report.gate, report.head, talk.number) if report is not None else None
    return ModeOutcome(report=report, ended_as=DONE, target=target)


def _obey(
    context: StepContext, repository: Repository, talk: Conversation, folder: Path
) -> Report | None:
    verb = talk.command.verb
    if verb == "help":
        talk.reply([usage()])
        return None
    tip = branch_tip(repository, str(talk.pull["base"]["ref"]))
    gate = gate_name(context, repository, tip, folder / "named")
    if talk.command.gate not in ("", gate):
        context.log.plain(f"the command is for the gate {talk.command.gate}, this is {gate}")
        return None
    if verb == "rerun":
        rerun(talk, gate)
        return None
    if verb == "run":
        fulfil(context, repository, talk, gate, folder, tip=tip)
        return None
    stored = open_stored(context, repository, gate, talk.head, folder, tip=tip)
    if stored is None:
        raise RefusedError(
            f"No result of the gate {gate} is stored for {talk.head[:7]}: let its check finish "
            "first, or run it again."
        )
    if verb == "accept":
        return accept(talk, stored)
    if verb in LABELS:
        _label(talk, stored, context.location(None), LABELS[verb])
        return None
    main = context.event.default_branch
    return update_baseline(talk, stored, context.location(None), default_branch=main)


def _label(
    talk: Conversation, stored: StoredResult, location: ConfigLocation, verdict: ReviewVerdict
) -> None:
    """Reply with what a maintainer says of some samples as labels; nothing else is written.

    The labels hold hashes, ids and the maintainer's own words: no text that the policy withholds.

    Raises:
        RefusedError: a sample cannot be labelled, or the head has moved.
    """
    said = talk.command
    who = talk.comment.author
    try:
        labels = labels_of_ids(
            stored.config,
            stored.run,
            said.ids,
            verdict,
            who=who,
            reason=said.reason,
            commit=stored.head,
        )
    except UsageError as error:
        raise RefusedError(error.message, remedy=error.remedy) from error
    if not talk.same_head():
        raise RefusedError("The head has moved meanwhile: nothing is labelled.")
    beside = labels_beside(stored.config.dataset).relative_to(stored.config.root)
    lines = labels_reply(labels, location.at(beside.as_posix()), sha=stored.head)
    talk.reply(lines, below=label_lines(labels))


def _sentence(error: RagateError) -> str:
    remedy = f" {code(error.remedy, SENTENCE)}" if error.remedy else ""
    return f"Nothing done: {code(error.message, SENTENCE)}{remedy}"
