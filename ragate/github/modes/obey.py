"""What each `/ragate …` command of a comment does."""

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ragate.baseline.recording.write_baseline import baseline_files
from ragate.core.comparison.run_passes import run_means
from ragate.errors import RagateError
from ragate.github.commits.change import branch_tip
from ragate.github.event.event import CommentRef
from ragate.github.event.slash_command import Command, usage_lines
from ragate.github.gate.acceptances import (
    SYSTEM,
    acceptances,
    binding_line,
    can_fail,
    is_bound,
)
from ragate.github.gate.result_artifact import StoredResult, gate_name, open_stored
from ragate.github.gate.step_context import StepContext
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


@dataclass
class CommentRequest:
    """A command of somebody who may give it, and what carrying it out needs.

    Attributes:
        bot: The login that our own comments are written by.
        pull: The pull request when the command was read.
        folder: What is fetched may lie here until the end.
    """

    context: StepContext
    repository: Repository
    comment: CommentRef
    command: Command
    bot: str
    pull: Json
    folder: Path

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

    @cached_property
    def tip(self) -> str:
        """Return the newest commit of the base's branch, whose policy allows."""
        return branch_tip(self.repository, str(self.pull["base"]["ref"]))

    @cached_property
    def gate(self) -> str:
        """Return the name of the gate that the workflow is for."""
        return gate_name(self.context, self.repository, self.tip)

    def reply(self, lines: Sequence[str], *, first_line: str = "", below: str = "") -> None:
        """Write a comment; each line is safe HTML of our own making, `below` safe Markdown."""
        mark = first_line or _REPLIED.format(self.comment.id)
        body = "\n".join([mark, *(f"<p>{line}</p>" for line in lines)])
        body += f"\n\n{below}" if below else ""
        self.repository.create_comment(self.number, body)

    def same_head(self) -> bool:
        """Ask again where the head is; False when it has moved since the command was read."""
        return str(self.repository.pull(self.number)["head"]["sha"]) == self.head

    def stored(self) -> StoredResult:
        """Return the newest result of the commit that the comment names.

        Raises:
            RefusedError: none is stored.
        """
        found = open_stored(
            self.context, self.repository, self.gate, self.head, self.folder, tip=self.tip
        )
        if found is None:
            raise RefusedError(
                f"No result of the gate {self.gate} is stored for {self.head[:7]}: let its check "
                "finish first, or run it again."
            )
        return found

    def accepted(self, stored: StoredResult) -> tuple[Acceptance, ...]:
        """Return what is accepted now for a stored result."""
        authors = without_own(stored.config.policy, self.repository, self.number)
        return acceptances(self.repository, self.number, stored.scope, self.bot, without=authors)


def usage() -> str:
    """Return the commands, one a line, as safe HTML."""
    return "<br>".join(code(line, SENTENCE) for line in usage_lines())


# ``accept`` and ``rerun``.

# No permission, gone, under way or too old.
_NOT_STARTED = (403, 404, 409, 422)


def accept(request: CommentRequest) -> Report:
    """Take the drop of some metrics at this commit: the reply is the record, then the verdict.

    Raises:
        RefusedError: there is nothing to accept, the head has moved, or it is the author's own.
        GitHubApiError: nothing, or only the record, was written; the same comment can be run again.
    """
    stored = request.stored()
    _refuse_own(request, stored)
    _refuse_idle(request, stored.decided(request.accepted(stored)), stored)
    comments = request.repository.comments(request.number)
    if not is_bound(comments, request.comment.id, request.bot):
        if not request.same_head():
            raise RefusedError("The head has moved meanwhile: nothing is accepted.")
        metrics = ", ".join(name(metric) for metric in request.command.metrics)
        accept_only = f"<b>Accepted at {code(stored.head[:7])} only:</b> {metrics}"
        lines = [
            f"{accept_only}, since {code(request.command.reason, SENTENCE)}.",
            "It lapses with the next commit, and when the outputs of this one change.",
        ]
        request.reply(lines, first_line=binding_line(stored.scope, request.comment.id))
    return stored.decided(request.accepted(stored))


def _refuse_own(request: CommentRequest, stored: StoredResult) -> None:
    if request.comment.author in without_own(
        stored.config.policy, request.repository, request.number
    ):
        raise RefusedError(
            "The base's policy says accept_own = false, and this pull request holds changes of "
            f"{request.comment.author!r}: somebody else has to accept it."
        )


def _refuse_idle(request: CommentRequest, report: Report, stored: StoredResult) -> None:
    rows = {row.key: row for row in report.decision.rows}
    deciding = can_fail(stored.config.policy.rules, report.decision)
    for metric in request.command.metrics:
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


def rerun(request: CommentRequest) -> None:
    """Run the workflow of this commit once more: its outputs are added to those that are there.

    Raises:
        RefusedError: no run of this commit left anything, or it is still running.
    """
    runs = runs_with_results(request.repository, request.gate, request.head)
    if not runs:
        raise RefusedError(f"No run of {request.head[:7]} left outputs of the gate {request.gate}.")
    if runs[0].get("status") != "completed":
        raise RefusedError("The run of this commit is still under way.")
    if problem := restart(request.repository, runs[0]):
        raise RefusedError(problem)
    attempt = int(runs[0].get("run_attempt") or 1) + 1
    sentence = (
        f"Attempt {attempt} of {code(request.head[:7])} is started. Its outputs are added to the "
        "earlier ones and all are judged together: a re-run is more evidence, not a new draw."
    )
    request.reply([sentence])


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


def update_baseline(request: CommentRequest) -> Report | None:
    """Commit the baseline on the pull request's branch; return the report for the new commit.

    None where nothing can be committed: on a fork's branch.

    The commit's parent is the very commit that was judged and the branch is moved forward only, so
    that a branch which moved meanwhile, or a second command at the same time, changes nothing.

    Raises:
        RefusedError: the runs do not make a baseline, the branch has moved, or it is the default
            branch itself, where a commit would be in force without a review.
    """
    _refuse_default_branch(request)
    stored = request.stored()
    _refuse_without_texts(stored)
    taken = request.accepted(stored)
    outputs = stored.folder / "outputs.jsonl"
    try:
        files = baseline_files(stored.config, stored.run, outputs, accepted=taken)
    except RagateError as error:
        raise RefusedError(error.message, remedy=error.remedy) from error
    location = request.context.location(None)
    files = {location.at(path): content for path, content in files.items()}
    if request.is_fork:
        _reply_with_patch(request, files)
        return None
    changed = changed_content(request.repository, stored.head, files)
    if not changed:
        raise RefusedError("The baseline of this branch says the same already: nothing to commit.")
    report = stored.decided(taken)
    new = _commit(request, stored, changed)
    status = (
        "The status of the new commit is that of its parent: only the baseline differs, and a "
        "pull request is judged by the baseline of its base."
    )
    request.reply([_committed(stored, new), status, *_not_started(request, stored, new)])
    return report.amended(head=new)


def _committed(stored: StoredResult, new: str) -> str:
    means = run_means(stored.run)
    figures = ", ".join(f"{code(key)} {value:.3f}" for key, value in means.items())
    runs = stored.run.manifest.runs
    return (
        f"Committed {code(new[:7])} with the baseline of {runs} run{'' if runs == 1 else 's'} "
        f"at {code(stored.head[:7])}: {figures}."
    )


def _refuse_default_branch(request: CommentRequest) -> None:
    default_branch = request.context.event.default_branch
    if not request.is_fork and request.pull["head"]["ref"] == default_branch:
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


def _not_started(request: CommentRequest, stored: StoredResult, new: str) -> list[str]:
    """Say which required checks the commit does not start, where the token is the workflow's."""
    if request.bot != BOT:
        return []
    ours = f"ragate/{stored.gate}"
    statuses = request.repository.statuses(stored.head)
    contexts = {str(status.get("context")) for status in statuses} - {ours}
    checks = ", ".join(code(context, SENTENCE) for context in sorted(contexts)[:MOST_CONTEXTS])
    missing = f", also none of {checks}, which its parent has" if checks else ""
    hint = (
        "A commit of a workflow's own token starts no other workflow: "
        f"{code(new[:7])} has the status {code(ours)} and no other check{missing}. "
        "Where others are required, close and reopen the pull request."
    )
    return [hint]


def _commit(request: CommentRequest, stored: StoredResult, files: dict[str, bytes]) -> str:
    message = (
        f"Baseline of {stored.gate} at {stored.head[:7]}\n\n"
        f"Asked for by @{request.comment.author} in #{request.number}."
    )
    new = make_commit(request.repository, stored.head, files, message)
    if not request.same_head():
        raise RefusedError("The head has moved meanwhile: nothing is written.")
    try:
        request.repository.update_branch(str(request.pull["head"]["ref"]), new)
    except GitHubApiError as error:
        if error.status in _MOVED:
            raise RefusedError("The branch has moved meanwhile: nothing is written.") from error
        raise
    return new


def _reply_with_patch(request: CommentRequest, files: dict[str, bytes]) -> None:
    patch = "".join(
        _diff(request.repository.contents(path, request.head), content, path)
        for path, content in files.items()
        if not path.endswith(".gz")
    )
    fork = "This branch is in a fork, where nothing can be written from here."
    if not patch or len(patch) > MOST_PATCH or plain(patch, ci=False) != patch:
        command = code("ragate baseline update")
        request.reply([fork, f"Run {command} on the branch, and commit the file."])
        return
    longest = max(map(len, re.findall("`+", patch)), default=0)
    fence = "`" * max(4, longest + 1)
    lines = [fork, f"Apply this with {code('git apply')}:"]
    request.reply(lines, below=f"{fence}diff\n{patch}{fence}")


def _diff(old: bytes | None, new: bytes, path: str) -> str:
    before = (old or b"").decode("utf-8", "replace").splitlines(keepends=True)
    after = new.decode("utf-8", "replace").splitlines(keepends=True)
    source = "/dev/null" if old is None else f"a/{path}"
    return "".join(difflib.unified_diff(before, after, source, f"b/{path}"))
