"""What set the workflow off."""

from dataclasses import dataclass


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
    head_branch: str
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
