"""Committing files to a branch through the API: forward only, or as a pull request."""

from collections.abc import Mapping
from dataclasses import dataclass

from ragate.github.rest.api import GitHubApiError
from ragate.github.rest.repository import Repository

REPLIES_FILE = "replies.jsonl.gz"
# Not allowed, a conflict, or a rule of the branch.
_REFUSED = (403, 409, 422)


@dataclass(frozen=True)
class CommittedFiles:
    """What became of the files.

    Attributes:
        commit: The new commit, on the branch itself or proposed to it; "" where there is none.
        sentence: The same for a reader.
    """

    commit: str
    sentence: str


def changed_content(
    repository: Repository, commit: str, files: Mapping[str, bytes]
) -> dict[str, bytes]:
    """Return those of the files that are absent or otherwise at `commit`."""
    return {
        path: content
        for path, content in files.items()
        if repository.contents(path, commit) != content
    }


def make_commit(
    repository: Repository, parent: str, files: Mapping[str, bytes], message: str
) -> str:
    """Return a new commit with these files on top of `parent`; no branch points at it yet."""
    blobs = {path: repository.create_blob(content) for path, content in files.items()}
    tree = repository.create_tree(repository.commit(parent).tree, blobs)
    return repository.create_commit(message, tree, [parent])


def commit_or_propose(
    repository: Repository,
    branch: str,
    parent: str,
    files: Mapping[str, bytes],
    message: str,
    *,
    gate: str,
) -> CommittedFiles:
    """Commit `files` to `branch` on top of `parent`, or propose them where that is refused.

    A branch that is not at `parent` any more is left alone: its newer commit has a run of its own.
    """
    changed = changed_content(repository, parent, files)
    if not changed:
        return CommittedFiles("", "the branch has these files already")
    if repository.branch_sha(branch) != parent:
        return CommittedFiles("", f"{branch} has moved meanwhile: nothing is committed")
    commit = make_commit(repository, parent, changed, message)
    try:
        repository.update_branch(branch, commit)
    except GitHubApiError as error:
        if error.status not in _REFUSED:
            raise
        return _proposed(repository, branch, commit, message, gate)
    return CommittedFiles(commit, f"{message}: committed as {commit[:7]}")


def _proposed(
    repository: Repository, branch: str, commit: str, message: str, gate: str
) -> CommittedFiles:
    side = f"ragate/baseline-{gate}-{commit[:12]}"
    repository.create_branch(side, commit)
    pull = repository.create_pull(
        message,
        side,
        branch,
        f"`{branch}` takes no commit from this workflow, so the baseline is proposed here. "
        "Merge it before the next pull request is judged. A workflow's own token starts no checks "
        "here: where some are required, close this pull request and reopen it.",
    )
    return CommittedFiles(commit, f"{message}: proposed as pull request {int(pull['number'])}")


# Replies to recorded model requests, handed from the job with keys to the job with the code.
#
# They lie in the base repository, under a ref of their own for each gate and commit: only who
# may write there can put them, no workflow starts from it, and they are there before the other
# job begins.


def ref_of(gate: str, sha: str) -> str:
    """Return the ref, without the leading ``refs/``."""
    return f"ragate/replies/{gate}/{sha}"


def put_replies(repository: Repository, gate: str, sha: str, content: bytes) -> None:
    """Keep the replies for one gate at one commit, in place of earlier ones."""
    blob = repository.create_blob(content)
    tree = repository.create_tree("", {REPLIES_FILE: blob})
    commit = repository.create_commit(f"Replies for {gate} at {sha}", tree, [])
    repository.set_ref(ref_of(gate, sha), commit)


def get_replies(repository: Repository, gate: str, sha: str) -> bytes | None:
    """Return the replies for one gate at one commit, None where there are none."""
    commit = repository.ref_sha(ref_of(gate, sha))
    return repository.contents(REPLIES_FILE, commit) if commit else None
