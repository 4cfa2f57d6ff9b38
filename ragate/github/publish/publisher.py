"""Tells the verdict: status, comment, job summary, annotations, outputs.

The verdict stands before any of this begins, and nothing that goes wrong here changes it.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import TypeVar

from ragate.errors import RagateError
from ragate.github.event.event import Event
from ragate.github.event.inputs import Inputs
from ragate.github.publish import VerdictTarget
from ragate.github.publish.changed_sources import Annotation
from ragate.github.publish.comment import StickyComment
from ragate.github.publish.workflow_commands import (
    UNSAID,
    Log,
    outputs_of,
    summary_room,
    write_outputs,
    write_summary,
)
from ragate.github.rest.api import GitHubApiError
from ragate.github.rest.repository import LONGEST_DESCRIPTION, Repository, State
from ragate.guards.escape import code, name, one_line, short_sha
from ragate.models import Report
from ragate.renderers import markdown as renderer
from ragate.renderers._headline import BLOCKS, PASSES, is_unaffected, verdict_words
from ragate.renderers.markdown import marker
from ragate.version import MANUAL

_SCOPES = {"the comment": "pull-requests: write", "the status": "statuses: write"}
_LONGEST = 1000
T = TypeVar("T")
SUMMARY_BUDGET = 1_000_000
INTERRUPTED = 130
_ADDRESS = re.compile(r"https?://[!-~]{1,1000}")
SUMMARY_SAMPLES = 2000  # of one kind
_ROOM = 10_000  # what the runner's limit keeps over the budget: our own notes
NO_PATHS: Mapping[str, str] = {}
_STATES: dict[int, State] = {0: "success", 1: "failure"}


@dataclass(frozen=True)
class Published:
    """What the reader gets to see."""

    comment_url: str
    markdown: str


@dataclass
class Publisher:
    """Publishes one run's verdict.

    Attributes:
        repository: None without a token: summary and outputs only.
        begun: What is being judged: an error after that is about it.
    """

    inputs: Inputs
    event: Event
    repository: Repository | None
    environ: Mapping[str, str]
    log: Log
    begun: VerdictTarget | None = None
    _warnings: set[str] = field(default_factory=set)
    _stickies: dict[VerdictTarget, StickyComment] = field(default_factory=dict)
    _down: bool = False

    def begin(self, target: VerdictTarget) -> None:
        """Say that `target` is being judged: a pending status, and the old comment is outdated."""
        self.begun = target
        self._status(target, "pending", "judging")
        sticky = self._sticky(target)
        if sticky is not None:
            self._try("the comment", lambda: sticky.outdated(target.head))

    def finish(
        self,
        target: VerdictTarget,
        report: Report,
        *,
        exit_code: int,
        paths: Mapping[str, str] = NO_PATHS,
        annotations: Sequence[Annotation] = (),
    ) -> Published:
        """Publish the verdict that `report` gives.

        Args:
            exit_code: What the step ends with; the status goes by it.
            paths: Where the reports are, by the names of the outputs.
        """
        if not report.report_url:
            report = report.amended(report_url=self.event.run_url)
        text = self.log.redact(renderer.render(report))
        self._annotations(annotations)
        state = _STATES.get(exit_code, "error")
        self._status(target, state, description(report, exit_code=exit_code))
        is_wanted = self._wants_comment(report, exit_code)
        url = self._comment(target, text, only_if_there=not is_wanted)
        self._try("the job summary", lambda: self._summary(report, text))
        self._outputs({**outputs_of(report), **paths}, exit_code, url)
        return Published(url, text)

    def fail(
        self, error: RagateError, *, exit_code: int, target: VerdictTarget | None = None
    ) -> None:
        """Publish that there is no verdict, and why.

        A run that was interrupted, mostly by a newer push, leaves the comment to that one.
        """
        gate = target.gate if target else self.inputs.gate
        head = target.head if target else ""
        self.log.error(str(error), title=f"{gate or 'ragate'}: no verdict")
        text = self.log.redact(error_page(error, gate=gate, head=head, run_url=self.event.run_url))
        url = ""
        if target is not None:
            description = self.log.redact(one_line(f"no verdict: {error.message}"))
            self._status(target, "error", description)
            if exit_code != INTERRUPTED:
                url = self._comment(target, text, only_if_current=True)
        self._try("the job summary", lambda: write_summary(self.environ, text))
        self._outputs({"verdict": "error"}, exit_code, url)

    def _outputs(self, values: Mapping[str, str], exit_code: int, url: str) -> None:
        told = {**UNSAID, **values, "exit-code": str(exit_code), "comment-url": url}
        self._try("the outputs", lambda: write_outputs(self.environ, told))

    def _wants_comment(self, report: Report, exit_code: int) -> bool:
        if self.inputs.comment == "always" or exit_code != 0 or report.decision.exit_code != 0:
            return True
        return self.inputs.comment == "on-change" and not is_unaffected(report)

    def _comment(
        self,
        target: VerdictTarget,
        text: str,
        *,
        only_if_there: bool = False,
        only_if_current: bool = False,
    ) -> str:
        sticky = self._sticky(target)
        if sticky is None:
            return ""

        url = self._try(
            "the comment",
            lambda: sticky.tell(
                text, target.head, only_if_there=only_if_there, only_if_current=only_if_current
            ),
        )
        return url if url and _ADDRESS.fullmatch(url) else ""

    def _sticky(self, target: VerdictTarget) -> StickyComment | None:
        if self.repository is None or target.number is None or self.inputs.comment == "off":
            return None
        if target not in self._stickies:  # it remembers whose token this is
            self._stickies[target] = StickyComment(self.repository, target.number, target.gate)
        return self._stickies[target]

    def _status(self, target: VerdictTarget, state: State, description: str) -> None:
        repository = self.repository
        if repository is None:
            return
        if self.event.is_of_side_branch(target.head):
            if state == "pending":  # once
                self.log.plain(
                    "no status is set here: it would count for pull requests of this commit, which "
                    "are judged on: pull_request"
                )
            return
        context = f"ragate/{one_line(target.gate, 80)}"
        page = self.event.run_url
        self._try(
            "the status",
            lambda: repository.set_status(target.head, state, context, description, page),
        )

    def _summary(self, report: Report, text: str) -> None:
        budget = min(SUMMARY_BUDGET, summary_room(self.environ) - _ROOM)
        if budget > 0:
            long = self.log.redact(renderer.render(report, budget=budget, most=SUMMARY_SAMPLES))
            if long and write_summary(self.environ, long):
                return
        write_summary(self.environ, text)

    def _annotations(self, annotations: Sequence[Annotation]) -> None:
        for remark in annotations:
            tell = self.log.error if remark.level == "error" else self.log.warning
            tell(remark.message, file=remark.path, line=remark.line, title=remark.title)

    def _try(self, target: str, call: Callable[[], T]) -> T | None:
        """Return what `call` returns; whatever it raises is a warning, for the verdict stands."""
        if self._down and target in ("the comment", "the status"):
            return None
        try:
            return call()
        except GitHubApiError as error:
            self._down = self._down or error.status == 0
            self._warn(target, str(error), hint(error, target, self.event))
        except Exception as error:  # noqa: BLE001  no accident here may become another verdict
            self._warn(target, f"{type(error).__name__}: {error}", "")
        return None

    def _warn(self, target: str, reason: str, remedy: str) -> None:
        warning = f"{target} could not be written: {reason}{'. ' + remedy if remedy else ''}"
        if warning not in self._warnings:
            self._warnings.add(warning)
            self.log.warning(warning, title="ragate: not published; the verdict stands")


# What is said in a status, and where there is no report or no permission.


def description(report: Report, *, exit_code: int) -> str:
    """Return line 1 of the comment for a status: plain text, without the gate's name."""
    part = "partial: " if report.partial else ""
    text = part + "".join(verdict_words(report))
    if exit_code == 0 and report.decision.exit_code != 0:
        text = f"{text.removesuffix(BLOCKS)}{PASSES} (fail-on)"
    elif exit_code != 0 and report.decision.exit_code == 0:
        text = f"{text.removesuffix(PASSES)}{BLOCKS} (fail-on)"
    return one_line(text, LONGEST_DESCRIPTION)


def error_page(error: RagateError, *, gate: str, head: str, run_url: str) -> str:
    """Return the comment of a run that came to no verdict."""
    link = run_url if re.fullmatch(r"https://[^\s\"'<>`]{1,500}", run_url) else ""
    title = f"{name(gate) if gate else 'ragate'}: no verdict, the run ended in an error{BLOCKS}"
    log = f'<a href="{escape(link)}">log</a>' if link else ""
    footer = " · ".join(filter(None, [short_sha(head), log]))
    lines = [
        marker(gate, head),
        f"<h3>⏸️ {title}</h3>",
        "",
        f"<p><b>Why:</b> {code(error.message, _LONGEST)}</p>",
        f"<p><b>Next:</b> {code(error.remedy, _LONGEST)}</p>" if error.remedy else "",
        f"<p><sub>{footer}</sub></p>" if footer else "",
    ]
    return "\n".join(lines[:3] + [line for line in lines[3:] if line]) + "\n"


def hint(error: GitHubApiError, target: str, event: Event) -> str:
    """Return what a reader can do about a call that was refused."""
    if error.status not in (401, 403, 404) or "rate limit" in error.message.lower():
        return ""
    if event.pull is not None and event.pull.is_fork:
        return (
            "The token of a pull request from a fork may only read: "
            f"the verdict is in the job summary, and {MANUAL}/action.md has the pair of workflows "
            "that publishes it"
        )
    scope = _SCOPES.get(target)
    if not scope:
        return ""
    if event.actor == "dependabot[bot]":
        # Unlike a fork's, its token goes by the job's permissions; only secrets are others.
        return f"Dependabot's token may only read where the job does not say 'permissions: {scope}'"
    return f"The job needs 'permissions: {scope}'"
