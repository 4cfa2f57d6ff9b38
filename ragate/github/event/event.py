"""What set the workflow off, and how it is read from the runner's variables and JSON file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, TypeVar

from pydantic import AliasPath, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from ragate.errors import UsageError
from ragate.files import strict_json
from ragate.files.foreign_files import read_bytes
from ragate.settings import first_fault, shown

# GitHub sends 25 MB at most: https://docs.github.com/webhooks/webhook-events-and-payloads
MAX_BYTES = 32 * 1024 * 1024
_SHA = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_REPOSITORY = re.compile(r"[A-Za-z0-9._-]{1,100}/[A-Za-z0-9._-]{1,100}")
_PULL_EVENTS = frozenset({"pull_request", "pull_request_target"})
_NUMBER = re.compile(r"[0-9]{1,18}")
P = TypeVar("P", bound=BaseModel)
_REMEDY = "the action runs in a workflow only; elsewhere use the command ragate"


Sha = Annotated[str, Field(pattern=r"^[0-9a-f]{40}([0-9a-f]{24})?$")]
Number = Annotated[int, Field(ge=0)]
# Null where an account or a fork is gone.
Text = Annotated[str, BeforeValidator(lambda value: "" if value is None else value)]


class _Part(BaseModel):
    """A part of GitHub's payload: of what it holds, only the fields are looked at."""

    model_config = ConfigDict(frozen=True, strict=True, extra="ignore", validate_by_name=True)


class RepositoryRef(_Part):
    """A repository, by the number that it keeps when it is renamed."""

    id: Number


class PullRef(_Part):
    """A pull request as the event saw it; its head may have moved since.

    Attributes:
        head_repository: None where the fork is gone.
        updated_at: When the event came about, as GitHub writes times (UTC, ISO 8601).
    """

    number: Number
    head_sha: Sha = Field(validation_alias=AliasPath("head", "sha"))
    base_ref: str = Field(validation_alias=AliasPath("base", "ref"))
    base_repository: RepositoryRef = Field(validation_alias=AliasPath("base", "repo"))
    head_repository: RepositoryRef | None = Field(None, validation_alias=AliasPath("head", "repo"))
    updated_at: Text = ""

    @property
    def is_fork(self) -> bool:
        return self.head_repository != self.base_repository


class MergeGroup(_Part):
    """A group of the merge queue: `head_sha` holds what would land on `base_sha`."""

    base_sha: Sha
    head_sha: Sha
    base_ref: str


class CommentRef(_Part):
    """A comment on an issue or on a pull request, and who wrote it."""

    id: Number = Field(validation_alias=AliasPath("comment", "id"))
    body: Text = Field("", validation_alias=AliasPath("comment", "body"))
    author: Text = Field("", validation_alias=AliasPath("comment", "user", "login"))
    author_type: Text = Field("", validation_alias=AliasPath("comment", "user", "type"))
    number: Number = Field(validation_alias=AliasPath("issue", "number"))
    pull: dict[str, Any] | None = Field(None, validation_alias=AliasPath("issue", "pull_request"))

    @property
    def is_pull(self) -> bool:
        return self.pull is not None


class RunRef(_Part):
    """The workflow run that was requested or has completed, for ``workflow_run``.

    Attributes:
        head_repository: ``owner/name`` as the event saw it, "" where the fork is gone.
        head_repository_id: Its number, which stays when it is renamed; 0 where unknown.
    """

    id: Number
    attempt: Number = Field(1, validation_alias="run_attempt")
    event: str
    head_sha: Sha
    head_branch: Text = ""
    head_repository: Text = Field("", validation_alias=AliasPath("head_repository", "full_name"))
    head_repository_id: Number = Field(0, validation_alias=AliasPath("head_repository", "id"))


class _Payload(_Part):
    """What every event may have."""

    action: Text = ""
    before: Text = ""
    default_branch: Text = Field("", validation_alias=AliasPath("repository", "default_branch"))
    old_base: Any = Field(None, validation_alias=AliasPath("changes", "base"))


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

    def is_of_side_branch(self, commit: str) -> bool:
        """Whether `commit` is no change, but what another branch than the default one is at.

        It is judged by its own rules, and may be the head of a pull request.
        """
        is_of_pull = self.pull is not None and self.pull.head_sha == commit
        is_change = is_of_pull or any((self.merge_group, self.comment, self.run))
        return not is_change and self.ref != f"refs/heads/{self.default_branch}"


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
    payload = _payload(environ)
    common = _read(_Payload, payload, "event")
    is_pull, ref = name in _PULL_EVENTS, environ.get("GITHUB_REF", "")
    # A schedule's payload names no repository; it is always of the default branch.
    scheduled = ref.removeprefix("refs/heads/") if name == "schedule" else ""
    return Event(
        name=name,
        action=common.action,
        repository=repository,
        sha=_variable(environ, "GITHUB_SHA", _SHA),
        ref=ref,
        run_id=run_id,
        run_attempt=attempt,
        run_url=f"{server}/{repository}/actions/runs/{run_id}/attempts/{attempt}",
        actor=environ.get("GITHUB_ACTOR", ""),
        default_branch=common.default_branch or scheduled,
        pull=_part(PullRef, payload, "pull_request") if is_pull else None,
        merge_group=_part(MergeGroup, payload, name) if name == "merge_group" else None,
        comment=_read(CommentRef, payload, "event") if name == "issue_comment" else None,
        run=_part(RunRef, payload, name) if name == "workflow_run" else None,
        base_changed=common.old_base is not None,
        before=_before(common.before) if name == "push" else "",
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


def _before(sha: str) -> str:
    """Return the commit before a push; a new branch has none, which GitHub writes as zeros."""
    return sha if _SHA.fullmatch(sha) and sha.strip("0") else ""


def _part(model: type[P], payload: dict[str, Any], key: str) -> P:
    return _read(model, payload.get(key), f"event.{key}")


def _read(model: type[P], value: Any, where: str) -> P:
    try:
        return model.model_validate(value, by_alias=True, by_name=False)
    except ValidationError as error:
        raise UsageError(first_fault(error, where), remedy=_REMEDY) from error
