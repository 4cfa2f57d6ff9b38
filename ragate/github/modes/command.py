"""Mode ``command``: obey one ``/ragate …`` comment.

Nothing of a pull request is checked out or run: commands work on what earlier runs stored.
"""

import asyncio
import json
import re
from collections.abc import Sequence
from pathlib import Path

from ragate.dataset.labels import labels_beside
from ragate.errors import ConfigError, ProviderError, RagateError, StorageError, UsageError
from ragate.github.commits.change import branch_tip
from ragate.github.commits.commit_tree import (
    ApiTree,
    BaseUnreadableError,
    ConfigLocation,
    policy_files,
)
from ragate.github.gate.result_artifact import StoredResult, gate_name, open_stored
from ragate.github.gate.step_context import ModeOutcome, StepContext
from ragate.github.modes.obey import (
    SENTENCE,
    Conversation,
    RefusedError,
    accept,
    open_conversation,
    rerun,
    restart,
    update_baseline,
    usage,
)
from ragate.github.publish import Announce, Target
from ragate.github.rest.artifacts import runs_with_results, unpack
from ragate.github.rest.repository import (
    REPLIES_FILE,
    Json,
    Repository,
    get_replies,
    login_of,
    put_replies,
)
from ragate.models import Report, ReviewLabel, ReviewVerdict
from ragate.pipeline.answers_to_review import labels_of_ids
from ragate.recorder.fulfil_pending import Fulfilled, fulfil_pending
from ragate.support.escape import code, name
from ragate.support.foreign_files import read_bytes

# Nothing in a fenced block is Markdown, but a backtick could end it, and the rest could be markup
# to whoever shows the source.
_ESCAPED = {ord(char): f"\\u{ord(char):04x}" for char in "`<>&@\x7f"}
PENDING = "pending.jsonl"
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
        with context.scratch() as folder:
            report = _obey(context, repository, talk, folder)
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


# ``/ragate run``: answer the model requests that wait at a commit, without running its code.


def fulfil(
    context: StepContext,
    repository: Repository,
    talk: Conversation,
    gate: str,
    folder: Path,
    *,
    tip: str,
) -> None:
    """Answer what is pending, hand the replies over, and start the collecting run again.

    The requests are the change's own words: `fulfil_pending` reads them strictly and asks only
    what the base's policy allows, under its caps.

    Args:
        tip: The newest commit of the base's branch, whose policy allows.

    Raises:
        RefusedError: nothing is pending at this commit.
        ProviderError: there is no key.
    """
    runs = runs_with_results(repository, gate, talk.head)
    pending = _pending(repository, runs, gate, folder)
    if pending is None:
        raise RefusedError(
            f"No model request waits at {talk.head[:7]}. Only systems with record = true leave any."
        )
    config = policy_files(ApiTree(repository, tip), context.location(None), folder / "policy")
    if config is None:
        raise RefusedError(f"The base {tip[:7]} has no policy.")
    context.hide(config)
    earlier = get_replies(repository, gate, talk.head)
    if earlier is not None:  # a chain of questions takes a round for each: all replies stay
        (folder / REPLIES_FILE).write_bytes(earlier)
    fulfilled = asyncio.run(
        fulfil_pending(config, context.operations(), pending, output=folder / REPLIES_FILE)
    )
    problem = ""
    if fulfilled.answered or fulfilled.known:
        if not talk.same_head():
            raise RefusedError("The head has moved meanwhile: the run is not started again.")
        put_replies(repository, gate, talk.head, read_bytes(fulfilled.path, error=StorageError))
        problem = restart(repository, runs[0])
    talk.reply(_reply(fulfilled, talk.head, problem))


def _pending(repository: Repository, runs: list[Json], gate: str, folder: Path) -> Path | None:
    """Return the newest file of pending requests that a run of this commit left."""
    name = re.compile(rf"ragate-outputs-{re.escape(gate)}-([0-9]{{1,6}})")
    for number, run in enumerate(runs):
        listed = [
            (int(match[1]), artifact)
            for artifact in repository.run_artifacts(int(run["id"]))
            if not artifact.get("expired")
            and (match := name.fullmatch(str(artifact.get("name", ""))))
        ]
        for attempt, artifact in sorted(listed, key=lambda pair: pair[0], reverse=True):
            unpacked = folder / f"outputs-{number}-{attempt}"
            try:
                unpack(repository.download_artifact(int(artifact["id"])), unpacked)
            except StorageError:
                continue
            if files := sorted(unpacked.rglob(PENDING)):
                return files[0]
    return None


def _reply(fulfilled: Fulfilled, sha: str, problem: str) -> list[str]:
    summary = (
        f"{fulfilled.answered:,} model requests of {code(sha[:7])} are answered, "
        f"{fulfilled.known:,} were known, for ${fulfilled.tally.cost_usd:,.2f}."
    )
    lines = [summary]
    if problem:
        lines.append(f"The answers are kept. {code(problem, SENTENCE)}")
    elif fulfilled.answered or fulfilled.known:
        lines.append("The run is started again with these answers; the verdict follows.")
    reasons = [*fulfilled.refused, *fulfilled.failed, *filter(None, [fulfilled.stopped])]
    if reasons:
        shown = "; ".join(code(reason, SENTENCE) for reason in reasons[:3])
        lines.append(f"{len(reasons):,} were not answered: {shown}")
    return lines


# Labels of a review as a comment gives them: lines to copy, which hold no text of the system's.


def labels_reply(labels: Sequence[ReviewLabel], path: str, *, sha: str) -> list[str]:
    """Return what a reply says above the lines of the labels, as safe HTML.

    Args:
        path: Of the file of labels in the repository.
        sha: The commit whose outputs were judged.
    """
    first = labels[0]
    ids = ", ".join(code(label.id) for label in labels)
    said = f"<b>Labelled at {code(sha[:7])}:</b> {ids}: {name(first.verdict.value)}"
    merge = f"save them and run {code('ragate review --from FILE')}"
    return [
        f"{said}, says {name(first.who)}. No label changes a verdict.",
        f"Nothing is written. Add the lines to {code(path, 200)} by a pull request, or {merge}.",
    ]


def label_lines(labels: Sequence[ReviewLabel]) -> str:
    """Return the labels as a fenced block of JSON Lines; what is copied from it reads the same."""
    lines = [
        json.dumps(label.model_dump(mode="json"), sort_keys=True).translate(_ESCAPED)
        for label in labels
    ]
    return "\n".join(["```jsonl", *lines, "```"])
