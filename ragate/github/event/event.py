"""What set the workflow off, and how it is read from the runner's variables and JSON file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragate.errors import UsageError
from ragate.files import strict_json
from ragate.files.foreign_files import read_bytes
from ragate.settings import shown

# GitHub sends 25 MB at most: https://docs.github.com/webhooks/webhook-events-and-payloads
MAX_BYTES = 32 * 1024 * 1024
_SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_REPOSITORY = re.compile(r"[A-Za-z0-9._-]{1,100}/[A-Za-z0-9._-]{1,100}")
_PULL_EVENTS = frozenset({"pull_request", "pull_request_target"})
_NUMBER = re.compile(r"[0-9]{1,18}")
_REMEDY = "the action runs in a workflow only; elsewhere use the command ragate"


@dataclass(frozen=True)
class PullRef:
    """A pull request as the event saw it; its head may have moved since.

    Attributes:
        updated_at: When the event came about, as GitHub writes times (UTC, ISO 8601).
    """

    number: int
    head_sha: str
    base_ref: str
    is_fork: bool
    updated_at: str = ""


@dataclass(frozen=True)
class MergeGroup:
    """A group of the merge queue: `head_sha` holds what would land on `base_sha`."""

    base_sha: str
    head_sha: str
    base_ref: str


@dataclass(frozen=True)
class CommentRef:
    """A comment on an issue or on a pull request, and who wrote it."""

    id: int
    body: str
    author: str
    author_type: str
    number: int
    is_pull: bool


@dataclass(frozen=True)
class RunRef:
    """The workflow run that was requested or has completed, for ``workflow_run``.

    Attributes:
        head_repository: ``owner/name`` as the event saw it, "" where the fork is gone.
        head_repository_id: Its number, which stays when it is renamed; 0 where unknown.
    """

    id: int
    attempt: int
    event: str
    head_sha: str
    head_repository: str
    head_repository_id: int = 0


@dataclass(frozen=True)
class Event:
    """One event of the repository `repository` (``owner/name``).

    Attributes:
        sha, ref: What the workflow was started on; for a pull request the merge commit.
        run_url: Address of this attempt's page.
        base_changed: A pull request was pointed at another branch.
        before: What a pushed branch was at, "" where there is none such.
    """

    name: str
    action: str
    repository: str
    sha: str
    ref: str
    run_id: int
    run_attempt: int
    run_url: str
    actor: str
    default_branch: str
    pull: PullRef | None = None
    merge_group: MergeGroup | None = None
    comment: CommentRef | None = None
    run: RunRef | None = None
    base_changed: bool = False
    before: str = ""

    @property
    def is_rerun(self) -> bool:
        """Whether somebody ran this, or the run that collected, again: to know what is missing."""
        return self.run_attempt > 1 or (self.run is not None and self.run.attempt > 1)


# Reading it: strict, and every part is named that is missing or wrong.


def read_event(environ: Mapping[str, str]) -> Event:
    """Return the event that ``GITHUB_EVENT_PATH`` and its sister variables describe.

    Raises:
        UsageError: a variable or a part of the payload is missing or malformed; names it.
    """
    name = _variable(environ, "GITHUB_EVENT_NAME", re.compile(r"[a-z_]{1,60}"))
    repository = _variable(environ, "GITHUB_REPOSITORY", _REPOSITORY)
    run_id = int(_variable(environ, "GITHUB_RUN_ID", _NUMBER))
    attempt = int(_variable(environ, "GITHUB_RUN_ATTEMPT", _NUMBER, default="1"))
    server = environ.get("GITHUB_SERVER_URL") or "https://github.com"
    payload = _PayloadObject(_payload(environ), "event")
    return Event(
        name=name,
        action=payload.text("action", default=""),
        repository=repository,
        sha=_variable(environ, "GITHUB_SHA", _SHA),
        ref=environ.get("GITHUB_REF", ""),
        run_id=run_id,
        run_attempt=attempt,
        run_url=f"{server}/{repository}/actions/runs/{run_id}/attempts/{attempt}",
        actor=environ.get("GITHUB_ACTOR", ""),
        default_branch=payload.maybe("repository").text("default_branch", default=""),
        pull=_pull(payload.object("pull_request")) if name in _PULL_EVENTS else None,
        merge_group=_merge_group(payload.object("merge_group")) if name == "merge_group" else None,
        comment=_comment(payload) if name == "issue_comment" else None,
        run=_run(payload.object("workflow_run")) if name == "workflow_run" else None,
        base_changed="base" in payload.maybe("changes").value,
        before=_before(payload) if name == "push" else "",
    )


def _payload(environ: Mapping[str, str]) -> dict[str, Any]:
    path = environ.get("GITHUB_EVENT_PATH", "")
    if not path:
        raise UsageError("GITHUB_EVENT_PATH is not set", remedy=_REMEDY)
    content = read_bytes(Path(path), error=UsageError, max_bytes=MAX_BYTES)
    value = strict_json.loads(content, where="the event", error=UsageError)
    if not isinstance(value, dict):
        raise UsageError("the event is no JSON object", remedy=_REMEDY)
    return value


def _variable(
    environ: Mapping[str, str], name: str, form: re.Pattern[str], *, default: str = ""
) -> str:
    value = environ.get(name) or default
    if not form.fullmatch(value):
        raise UsageError(f"{name} = {shown(value)}: not what the runner sets", remedy=_REMEDY)
    return value


def _before(payload: _PayloadObject) -> str:
    """Return the commit before a push; a new branch has none, which GitHub writes as zeros."""
    before = payload.text("before", default="")
    return before if _SHA.fullmatch(before) and before.strip("0") else ""


def _pull(pull: _PayloadObject) -> PullRef:
    head, base = pull.object("head"), pull.object("base")
    return PullRef(
        number=pull.number("number"),
        head_sha=head.sha("sha"),
        base_ref=base.text("ref"),
        # By number: a name can be given up and taken by someone else.
        is_fork=head.maybe("repo").value.get("id") != base.object("repo").number("id"),
        updated_at=pull.text("updated_at", default=""),
    )


def _merge_group(group: _PayloadObject) -> MergeGroup:
    return MergeGroup(
        base_sha=group.sha("base_sha"),
        head_sha=group.sha("head_sha"),
        base_ref=group.text("base_ref"),
    )


def _comment(payload: _PayloadObject) -> CommentRef:
    comment, issue = payload.object("comment"), payload.object("issue")
    author = comment.maybe("user")
    return CommentRef(
        id=comment.number("id"),
        body=comment.text("body", default=""),
        author=author.text("login", default=""),
        author_type=author.text("type", default=""),
        number=issue.number("number"),
        is_pull="pull_request" in issue.value,
    )


def _run(run: _PayloadObject) -> RunRef:
    return RunRef(
        id=run.number("id"),
        attempt=run.number("run_attempt", default=1),
        event=run.text("event"),
        head_sha=run.sha("head_sha"),
        head_repository=run.maybe("head_repository").text("full_name", default=""),
        head_repository_id=run.maybe("head_repository").number("id", default=0),
    )


@dataclass(frozen=True)
class _PayloadObject:
    """An object of the payload and its place, for the message."""

    value: dict[str, Any]
    where: str

    def object(self, key: str) -> _PayloadObject:
        value = self.value.get(key)
        if not isinstance(value, dict):
            raise self._wrong(key, "an object")
        return _PayloadObject(value, f"{self.where}.{key}")

    def maybe(self, key: str) -> _PayloadObject:
        """Return an object that may be null, as where an account or a fork is gone."""
        if self.value.get(key) is None:
            return _PayloadObject({}, f"{self.where}.{key}")
        return self.object(key)

    def text(self, key: str, *, default: str | None = None) -> str:
        value = self.value.get(key)
        if value is None and default is not None:
            return default
        if not isinstance(value, str):
            raise self._wrong(key, "a text")
        return value

    def number(self, key: str, *, default: int | None = None) -> int:
        value = self.value.get(key)
        if value is None and default is not None:
            return default
        if not isinstance(value, int) or isinstance(value, bool) or value < 0:
            raise self._wrong(key, "a number")
        return value

    def sha(self, key: str) -> str:
        value = self.text(key)
        if not _SHA.fullmatch(value):
            raise self._wrong(key, "a commit's full sha")
        return value

    def _wrong(self, key: str, kind: str) -> UsageError:
        value = shown(self.value[key]) if key in self.value else "missing"
        return UsageError(f"{self.where}.{key}: {value}, where {kind} belongs", remedy=_REMEDY)
