"""The calls that the gate makes on one repository, git's own objects and refs among them."""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import quote

from ragate.config import Policy
from ragate.errors import RagateError
from ragate.github.rest.api import Api, GitHubApiError, unless_absent
from ragate.guards.escape import one_line

NOBODY: frozenset[str] = frozenset()
Json = dict[str, Any]


class UnlistedError(RagateError):
    """GitHub does not list all that has to be known."""


@dataclass(frozen=True)
class Commit:
    """A commit's place in history."""

    sha: str
    tree: str
    parents: tuple[str, ...]


State = Literal["pending", "success", "failure", "error"]

LONGEST_DESCRIPTION = 140
# https://docs.github.com/rest/pulls/pulls#list-commits-on-a-pull-request
MOST_COMMITS = 250
MOST_ARTIFACT_BYTES = 256 * 1024 * 1024
_NONE: Json = {}
BOT = "github-actions[bot]"


class Repository:
    """GitHub's repository `name` (``owner/name``); every call may raise `GitHubApiError`."""

    def __init__(self, api: Api, name: str) -> None:
        self.api = api
        self.name = name
        self._at = f"/repos/{name}"

    def commit(self, sha: str) -> Commit:
        commit = json_object(self.api.get(f"{self._at}/git/commits/{escaped(sha)}"))
        parents = tuple(str(parent["sha"]) for parent in commit["parents"])
        return Commit(str(commit["sha"]), str(commit["tree"]["sha"]), parents)

    def contents(self, path: str, ref: str) -> bytes | None:
        """Return a file as it is at `ref`; None where the API says that there is none (404)."""
        address = f"{self._at}/contents/{escaped(path)}"
        return unless_absent(lambda: self.api.raw(address, {"ref": ref}), None)

    def tree(self, sha: str, *, recursive: bool = True) -> list[Json]:
        """Return path, mode, type, sha and size of what a tree holds.

        Raises:
            GitHubApiError: also where the tree is too large and was cut.
        """
        params: dict[str, str | int] = {"recursive": 1} if recursive else {}
        tree = json_object(self.api.get(f"{self._at}/git/trees/{escaped(sha)}", params))
        if tree.get("truncated"):
            raise GitHubApiError(200, f"the tree {sha[:7]} is too large to be listed")
        return [entry for entry in tree["tree"] if isinstance(entry, dict)]

    def create_blob(self, content: bytes) -> str:
        body = {"content": base64.b64encode(content).decode(), "encoding": "base64"}
        return _sha(self.api.post(f"{self._at}/git/blobs", body, repeatable=True))

    def create_tree(self, base_tree: str, blobs: dict[str, str]) -> str:
        """Return the sha of `base_tree` (none: "") with these paths replaced by these blobs."""
        entries = [
            {"path": path, "mode": "100644", "type": "blob", "sha": sha}
            for path, sha in blobs.items()
        ]
        body = {"tree": entries} | ({"base_tree": base_tree} if base_tree else {})
        return _sha(self.api.post(f"{self._at}/git/trees", body, repeatable=True))

    def create_commit(self, message: str, tree: str, parents: Sequence[str]) -> str:
        body = {"message": message, "tree": tree, "parents": list(parents)}
        return _sha(self.api.post(f"{self._at}/git/commits", body, repeatable=True))

    def branch_sha(self, branch: str) -> str:
        """Return the commit that a branch is at, "" where there is no such branch."""
        return self.ref_sha(f"heads/{branch}")

    def create_branch(self, branch: str, sha: str) -> None:
        self.api.post(f"{self._at}/git/refs", {"ref": f"refs/heads/{branch}", "sha": sha})

    def update_branch(self, branch: str, sha: str) -> None:
        """Move a branch forward; one that has moved meanwhile is refused (422)."""
        path = f"{self._at}/git/refs/heads%2F{escaped(branch)}"
        self.api.patch(path, {"sha": sha, "force": False})

    def ref_sha(self, ref: str) -> str:
        """Return the commit that a ref is at, "" where there is none.

        Args:
            ref: Without the leading ``refs/``.
        """
        path = f"{self._at}/git/ref/{escaped(ref)}"
        pointer = unless_absent(lambda: json_object(self.api.get(path)), None)
        return str(pointer["object"]["sha"]) if pointer is not None else ""

    def set_ref(self, ref: str, sha: str) -> None:
        """Point a ref outside of the branches at a commit, wherever it was before."""
        if self.ref_sha(ref):
            path = f"{self._at}/git/refs/{escaped(ref)}"
            self.api.patch(path, {"sha": sha, "force": True})
        else:
            self.api.post(f"{self._at}/git/refs", {"ref": f"refs/{ref}", "sha": sha})

    # Comments of an issue or a pull request.

    def comments(self, number: int) -> list[Json]:
        """Return all comments, oldest first."""
        return list(self.api.pages(f"{self._at}/issues/{number}/comments"))

    def create_comment(self, number: int, body: str) -> Json:
        """Write a comment; one whose answer was lost may exist nevertheless."""
        return json_object(self.api.post(f"{self._at}/issues/{number}/comments", {"body": body}))

    def update_comment(self, comment_id: int, body: str) -> Json:
        """Write a comment anew, once: others write it too, so read it again before another try."""
        path = f"{self._at}/issues/comments/{comment_id}"
        return json_object(self.api.patch(path, {"body": body}, ages=True))

    def delete_comment(self, comment_id: int) -> None:
        """Delete a comment; one that is gone already is no error."""
        path = f"{self._at}/issues/comments/{comment_id}"
        unless_absent(lambda: self.api.delete(path), None)

    # The state of a commit.

    def set_status(
        self, sha: str, state: State, context: str, description: str, target_url: str = ""
    ) -> None:
        """Set one status of a commit; the last one set for a context counts."""
        body = {
            "state": state,
            "context": context,
            "description": one_line(description, LONGEST_DESCRIPTION),
        }
        body |= {"target_url": target_url} if target_url else {}
        self.api.post(f"{self._at}/statuses/{escaped(sha)}", body, repeatable=True)

    def statuses(self, sha: str) -> list[Json]:
        """Return all statuses that were ever set on a commit, newest first."""
        return list(self.api.pages(f"{self._at}/commits/{escaped(sha)}/statuses"))

    # People.

    def permission(self, login: str) -> str:
        """Return ``admin``, ``write``, ``read`` or ``none``; no collaborator is ``none``."""
        path = f"{self._at}/collaborators/{escaped(login)}/permission"
        collaborator = unless_absent(lambda: json_object(self.api.get(path)), _NONE)
        return str(collaborator.get("permission", "none"))

    # Pull requests.

    def pull(self, number: int) -> Json:
        return json_object(self.api.get(f"{self._at}/pulls/{number}"))

    def pulls_of(self, head: str) -> list[Json]:
        """Return the open pull requests from ``owner:branch``."""
        return list(self.api.pages(f"{self._at}/pulls", {"head": head, "state": "open"}))

    def pull_commits(self, number: int) -> list[Json]:
        """Return the commits of a pull request, oldest first.

        Raises:
            GitHubApiError: the API is out.
            UnlistedError: there may be more than GitHub lists.
        """
        commits = list(self.api.pages(f"{self._at}/pulls/{number}/commits"))
        if len(commits) >= MOST_COMMITS:
            raise UnlistedError(
                f"pull request {number} has {MOST_COMMITS} commits or more, and GitHub lists no "
                "more: who wrote the others is not known",
                remedy="squash its commits, or bring the change in smaller pull requests",
            )
        return commits

    def open_pulls(self) -> list[Json]:
        """Return all open pull requests, those from forks as well."""
        return list(self.api.pages(f"{self._at}/pulls", {"state": "open"}))

    def create_pull(self, title: str, head: str, base: str, body: str) -> Json:
        content = {"title": title, "head": head, "base": base, "body": body}
        return json_object(self.api.post(f"{self._at}/pulls", content))

    def compare_files(self, base: str, head: str) -> list[Json]:
        """Return the files that differ: name, status, patch; GitHub lists 300 at most."""
        path = f"{self._at}/compare/{escaped(base)}...{escaped(head)}"
        files = json_object(self.api.get(path)).get("files", [])
        return [file for file in files if isinstance(file, dict)]

    def is_ancestor(self, old: str, new: str) -> bool:
        """Return whether `new` is `old` or descends from it; False where one does not exist."""
        if old == new:
            return True
        path = f"{self._at}/compare/{escaped(old)}...{escaped(new)}"
        comparison = unless_absent(lambda: json_object(self.api.get(path, {"per_page": 1})), _NONE)
        return comparison.get("status") in ("ahead", "identical")

    def pulls_of_commit(self, sha: str) -> list[Json]:
        """Return the pull requests that brought a commit to its branch; none for a fork's."""
        return list(self.api.pages(f"{self._at}/commits/{escaped(sha)}/pulls"))

    # Workflow runs.

    def run(self, run_id: int) -> Json:
        return json_object(self.api.get(f"{self._at}/actions/runs/{run_id}"))

    def runs_of(self, sha: str) -> list[Json]:
        """Return the workflow runs with this head, newest first."""
        params = {"head_sha": sha}
        return list(self.api.pages(f"{self._at}/actions/runs", params, key="workflow_runs"))

    def run_artifacts(self, run_id: int) -> list[Json]:
        path = f"{self._at}/actions/runs/{run_id}/artifacts"
        return list(self.api.pages(path, key="artifacts"))

    def download_artifact(self, artifact_id: int, *, max_bytes: int = MOST_ARTIFACT_BYTES) -> bytes:
        """Return an artifact's zip file, of at most `max_bytes`."""
        return self.api.download(
            f"{self._at}/actions/artifacts/{artifact_id}/zip", max_bytes=max_bytes
        )

    def rerun(self, run_id: int) -> None:
        """Start a completed run once more, as its next attempt."""
        self.api.post(f"{self._at}/actions/runs/{run_id}/rerun")


def _sha(created: Any) -> str:
    return str(json_object(created)["sha"])


def escaped(text: str) -> str:
    """Percent-encode one parameter of a path, slashes as well."""
    return quote(text, safe="")


def json_object(value: Any) -> Json:
    """Return a value that has to be an object.

    Raises:
        GitHubApiError: it is none.
    """
    if not isinstance(value, dict):
        raise GitHubApiError(200, "the API's answer is no object")
    return value


def gate_statuses(repository: Repository, gate: str, sha: str) -> list[Json]:
    """Return the statuses that a gate ever set on a commit, newest first."""
    statuses = repository.statuses(sha)
    return [status for status in statuses if status.get("context") == f"ragate/{gate}"]


def login_of(api: Api) -> str:
    """Return whose token this is; the workflow's own may not ask (403) and is the bot's."""
    try:
        return str(json_object(api.get("/user")).get("login", BOT))
    except GitHubApiError as error:
        if error.status in (401, 403, 404):
            return BOT
        raise


# Whose change a pull request is, where the policy lets nobody accept their own drops.


def without_own(policy: Policy, repository: Repository, number: int) -> frozenset[str]:
    """Return whose accepts do not count on a pull request: its authors, where they may not.

    Who opened it is an author, and so is who wrote a commit of it that is no merge: a pull request
    of a bot or of a colleague may hold one's own commits.
    """
    if policy.accept_own:
        return NOBODY
    people = [login_in(repository.pull(number))]
    for commit in repository.pull_commits(number):
        if len(commit.get("parents") or []) < 2:
            people += [login_in(commit, "author"), login_in(commit, "committer")]
    return frozenset(filter(None, people))


def login_in(content: Json, role: str = "user") -> str:
    """Return the login of somebody that a comment, a pull request or a commit names, or ""."""
    person = content.get(role)
    return str(person.get("login", "")) if isinstance(person, dict) else ""


# Committing files to a branch through the API: forward only, or as a pull request.


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
