"""A `/ragate …` comment: who may give it, for which commit, and what each command does."""

import difflib
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ragate.baseline.recording.write_baseline import baseline_files
from ragate.core.comparison.run_passes import run_means
from ragate.errors import RagateError, UsageError
from ragate.github.commits.commit_tree import ConfigLocation
from ragate.github.event.event import CommentRef, Event
from ragate.github.event.slash_command import HELP, Command, parse_command, usage_lines
from ragate.github.gate.acceptances import (
    SYSTEM,
    acceptances,
    binding_line,
    can_fail,
    is_bound,
    may_write,
)
from ragate.github.gate.result_artifact import StoredResult
from ragate.github.rest.api import GitHubApiError
from ragate.github.rest.artifacts import runs_with_results
from ragate.github.rest.repository import (
    BOT,
    Json,
    Repository,
    changed_content,
    make_commit,
    without_own,
)
from ragate.guards.escape import code, name, plain
from ragate.models import Acceptance, Report
from ragate.settings import nearest

SENTENCE = 300
_REPLIED = "<!-- ragate-reply:1 comment={} -->"


class RefusedError(RagateError):
    """A command is not carried out, for a reason that its author can act on."""

    exit_code = 0


@dataclass(frozen=True)
class Conversation:
    """A command of somebody who may give it.

    Attributes:
        bot: The login that our own comments are written by.
        head: The pull request's head when the command was read.
    """

    repository: Repository
    comment: CommentRef
    command: Command
    bot: str
    pull: Json

    @property
    def number(self) -> int:
        return self.comment.number

    @property
    def head(self) -> str:
        return str(self.pull["head"]["sha"])

    @property
    def is_fork(self) -> bool:
        source = self.pull["head"].get("repo") or {}
        return bool(source.get("id") != self.pull["base"]["repo"]["id"])

    def reply(self, lines: Sequence[str], *, first_line: str = "", below: str = "") -> None:
        """Write a comment; each line is safe HTML of our own making, `below` safe Markdown."""
        mark = first_line or _REPLIED.format(self.comment.id)
        body = "\n".join([mark, *(f"<p>{line}</p>" for line in lines)])
        body += f"\n\n{below}" if below else ""
        self.repository.create_comment(self.number, body)

    def same_head(self) -> bool:
        """Ask again where the head is; False when it has moved since the command was read."""
        return str(self.repository.pull(self.number)["head"]["sha"]) == self.head


def open_conversation(
    repository: Repository, event: Event, bot: str, say: Callable[[str], None]
) -> Conversation | None:
    """Return the command of the event's comment, None where there is nothing to do.

    Nothing is written for somebody who may not give commands, not even a reply.

    Raises:
        GitHubApiError: it cannot be found out whether the author may; nothing is done then.
        UsageError: the event is no comment.
    """
    comment = event.comment
    if event.name != "issue_comment" or comment is None:
        raise UsageError(
            f"mode command on the event {event.name!r}: it reads comments",
            remedy="start the workflow on: issue_comment: types: [created]",
        )
    if event.action != "created" or not comment.is_pull or not comment.body.startswith("/ragate"):
        say("no command in this comment")
        return None
    if not may_write(repository, comment.author, comment.author_type):
        say("the author of this comment may not write to the repository: nothing done")
        return None
    try:
        command, lines = parse_command(comment.body), []
    except UsageError as error:
        command, lines = Command("help"), [code(error.message, SENTENCE), usage()]
    if command is None:
        return None
    talk = Conversation(repository, comment, command, bot, repository.pull(comment.number))
    if problem := _problem(talk):
        lines = [problem]
    if lines:
        talk.reply(lines)
        return None
    return talk


def _problem(talk: Conversation) -> str:
    """Return why the command cannot be meant for the pull request as it is, "" where it can."""
    if talk.command.verb == HELP:
        return ""
    if talk.pull.get("state") != "open":
        return "This pull request is closed: nothing done."
    if not talk.head.startswith(talk.command.sha):
        return (
            f"The head is {code(talk.head[:7])} and the command names "
            f"{code(talk.command.sha[:12])}: nothing done. Look at the new commit first."
        )
    return ""


def usage() -> str:
    """Return the commands, one a line, as safe HTML."""
    return "<br>".join(code(line, SENTENCE) for line in usage_lines())


# ``accept`` and ``rerun``.

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


# ``update-baseline``: the baseline that the stored runs of a commit give, as a commit.


MOST_PATCH = 50_000
MOST_CONTEXTS = 10
# A conflict, or a branch that is no longer where the commit's parent is.
_MOVED = (409, 422)


def update_baseline(
    talk: Conversation, stored: StoredResult, location: ConfigLocation, *, default_branch: str
) -> Report | None:
    """Commit the baseline on the pull request's branch; return the report for the new commit.

    None where nothing can be committed: on a fork's branch.

    The commit's parent is the very commit that was judged and the branch is moved forward only, so
    that a branch which moved meanwhile, or a second command at the same time, changes nothing.

    Raises:
        RefusedError: the runs do not make a baseline, the branch has moved, or it is the default
            branch itself, where a commit would be in force without a review.
    """
    _refuse_default_branch(talk, default_branch)
    _refuse_without_texts(stored)
    taken = accepted(talk, stored)
    outputs = stored.folder / "outputs.jsonl"
    try:
        files = baseline_files(stored.config, stored.run, outputs, accepted=taken)
    except RagateError as error:
        raise RefusedError(error.message, remedy=error.remedy) from error
    files = {location.at(path): content for path, content in files.items()}
    if talk.is_fork:
        _reply_with_patch(talk, files)
        return None
    changed = changed_content(talk.repository, stored.head, files)
    if not changed:
        raise RefusedError("The baseline of this branch says the same already: nothing to commit.")
    report = decide_stored(talk, stored)
    new = _commit(talk, stored, changed)
    figures = ", ".join(f"{code(key)} {value:.3f}" for key, value in run_means(stored.run).items())
    runs = stored.run.manifest.runs
    summary = (
        f"Committed {code(new[:7])} with the baseline of {runs} run{'' if runs == 1 else 's'} "
        f"at {code(stored.head[:7])}: {figures}."
    )
    status = (
        "The status of the new commit is that of its parent: only the baseline differs, and a "
        "pull request is judged by the baseline of its base."
    )
    talk.reply([summary, status, *_not_started(talk, stored, new)])
    return report.amended(head=new)


def _refuse_default_branch(talk: Conversation, default_branch: str) -> None:
    if not talk.is_fork and talk.pull["head"]["ref"] == default_branch:
        raise RefusedError(
            f"The branch of this pull request is {default_branch!r} itself, which takes no commit "
            "from a comment: nobody would review it. The workflow of mode baseline records the "
            "baseline there."
        )


def _refuse_without_texts(stored: StoredResult) -> None:
    publish = stored.config.policy.publish
    if publish != "full":
        raise RefusedError(
            f"[policy] publish is {publish!r}, so that the stored result lacks texts that a "
            "baseline keeps. Run `ragate baseline update` on the branch and commit the file, or "
            "merge: the workflow of mode baseline records it on the default branch."
        )


def _not_started(talk: Conversation, stored: StoredResult, new: str) -> list[str]:
    """Say which required checks the commit does not start, where the token is the workflow's."""
    if talk.bot != BOT:
        return []
    ours = f"ragate/{stored.gate}"
    statuses = talk.repository.statuses(stored.head)
    contexts = {str(status.get("context")) for status in statuses} - {ours}
    checks = ", ".join(code(context, SENTENCE) for context in sorted(contexts)[:MOST_CONTEXTS])
    missing = f", also none of {checks}, which its parent has" if checks else ""
    hint = (
        "A commit of a workflow's own token starts no other workflow: "
        f"{code(new[:7])} has the status {code(ours)} and no other check{missing}. "
        "Where others are required, close and reopen the pull request."
    )
    return [hint]


def _commit(talk: Conversation, stored: StoredResult, files: dict[str, bytes]) -> str:
    message = (
        f"Baseline of {stored.gate} at {stored.head[:7]}\n\n"
        f"Asked for by @{talk.comment.author} in #{talk.number}."
    )
    new = make_commit(talk.repository, stored.head, files, message)
    if not talk.same_head():
        raise RefusedError("The head has moved meanwhile: nothing is written.")
    try:
        talk.repository.update_branch(str(talk.pull["head"]["ref"]), new)
    except GitHubApiError as error:
        if error.status in _MOVED:
            raise RefusedError("The branch has moved meanwhile: nothing is written.") from error
        raise
    return new


def _reply_with_patch(talk: Conversation, files: dict[str, bytes]) -> None:
    patch = "".join(
        _diff(talk.repository.contents(path, talk.head), content, path)
        for path, content in files.items()
        if not path.endswith(".gz")
    )
    fork = "This branch is in a fork, where nothing can be written from here."
    if not patch or len(patch) > MOST_PATCH or plain(patch, ci=False) != patch:
        command = code("ragate baseline update")
        talk.reply([fork, f"Run {command} on the branch, and commit the file."])
        return
    longest = max(map(len, re.findall("`+", patch)), default=0)
    fence = "`" * max(4, longest + 1)
    lines = [fork, f"Apply this with {code('git apply')}:"]
    talk.reply(lines, below=f"{fence}diff\n{patch}{fence}")


def _diff(old: bytes | None, new: bytes, path: str) -> str:
    before = (old or b"").decode("utf-8", "replace").splitlines(keepends=True)
    after = new.decode("utf-8", "replace").splitlines(keepends=True)
    source = "/dev/null" if old is None else f"a/{path}"
    return "".join(difflib.unified_diff(before, after, source, f"b/{path}"))
