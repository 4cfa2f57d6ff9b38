"""The calls that the gate makes, one function each, on one repository."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import quote

from ragate.github.rest.api import Api, ApiError
from ragate.support.escape import one_line

State = Literal["pending", "success", "failure", "error"]
Json = dict[str, Any]

LONGEST_DESCRIPTION = 140
MOST_ARTIFACT_BYTES = 256 * 1024 * 1024
BOT = "github-actions[bot]"


@dataclass(frozen=True)
class Commit:
    """A commit's place in history."""

    sha: str
    tree: str
    parents: tuple[str, ...]


class Repository:
    """GitHub's repository `name` (``owner/name``); every call may raise `ApiError`."""

    def __init__(self, api: Api, name: str) -> None:
        self.api = api
        self.name = name
        self._at = f"/repos/{name}"

    # Comments of an issue or a pull request.

    def comments(self, number: int) -> list[Json]:
        """Return all comments, oldest first."""
        return list(self.api.pages(f"{self._at}/issues/{number}/comments"))

    def create_comment(self, number: int, body: str) -> Json:
        """Write a comment; one whose answer was lost may exist nevertheless."""
        return _object(self.api.post(f"{self._at}/issues/{number}/comments", {"body": body}))

    def update_comment(self, comment_id: int, body: str) -> Json:
        return _object(self.api.patch(f"{self._at}/issues/comments/{comment_id}", {"body": body}))

    def delete_comment(self, comment_id: int) -> None:
        """Delete a comment; one that is gone already is no error."""
        try:
            self.api.delete(f"{self._at}/issues/comments/{comment_id}")
        except ApiError as error:
            if error.status != 404:
                raise

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
        self.api.post(f"{self._at}/statuses/{_part(sha)}", body, repeatable=True)

    def statuses(self, sha: str) -> list[Json]:
        """Return all statuses that were ever set on a commit, newest first."""
        return list(self.api.pages(f"{self._at}/commits/{_part(sha)}/statuses"))

    # People.

    def permission(self, login: str) -> str:
        """Return ``admin``, ``write``, ``read`` or ``none``; no collaborator is ``none``."""
        path = f"{self._at}/collaborators/{_part(login)}/permission"
        try:
            found = _object(self.api.get(path))
        except ApiError as error:
            if error.status == 404:
                return "none"
            raise
        return str(found.get("permission", "none"))

    # Pull requests.

    def pull(self, number: int) -> Json:
        return _object(self.api.get(f"{self._at}/pulls/{number}"))

    def pulls_of(self, head: str, *, state: str = "open") -> list[Json]:
        """Return the pull requests from ``owner:branch``."""
        return list(self.api.pages(f"{self._at}/pulls", {"head": head, "state": state}))

    def pull_commits(self, number: int) -> list[Json]:
        """Return the commits of a pull request, oldest first; GitHub lists 250 at most."""
        return list(self.api.pages(f"{self._at}/pulls/{number}/commits"))

    def open_pulls(self) -> list[Json]:
        """Return all open pull requests, those from forks as well."""
        return list(self.api.pages(f"{self._at}/pulls", {"state": "open"}))

    def create_pull(self, title: str, head: str, base: str, body: str) -> Json:
        content = {"title": title, "head": head, "base": base, "body": body}
        return _object(self.api.post(f"{self._at}/pulls", content))

    def compare_files(self, base: str, head: str) -> list[Json]:
        """Return the files that differ: name, status, patch; GitHub lists 300 at most."""
        path = f"{self._at}/compare/{_part(base)}...{_part(head)}"
        files = _object(self.api.get(path)).get("files", [])
        return [file for file in files if isinstance(file, dict)]

    def is_ancestor(self, old: str, new: str) -> bool:
        """Return whether `new` is `old` or descends from it; False where one does not exist."""
        if old == new:
            return True
        try:
            path = f"{self._at}/compare/{_part(old)}...{_part(new)}"
            found = _object(self.api.get(path, {"per_page": 1}))
        except ApiError as error:
            if error.status == 404:
                return False
            raise
        return found.get("status") in ("ahead", "identical")

    # Files and commits.

    def commit(self, sha: str) -> Commit:
        found = _object(self.api.get(f"{self._at}/git/commits/{_part(sha)}"))
        parents = tuple(str(parent["sha"]) for parent in found["parents"])
        return Commit(str(found["sha"]), str(found["tree"]["sha"]), parents)

    def contents(self, path: str, ref: str) -> bytes | None:
        """Return a file as it is at `ref`; None where the API says that there is none (404)."""
        try:
            return self.api.raw(f"{self._at}/contents/{_part(path)}", {"ref": ref})
        except ApiError as error:
            if error.status == 404:
                return None
            raise

    def tree(self, sha: str, *, recursive: bool = True) -> list[Json]:
        """Return path, mode, type, sha and size of what a tree holds.

        Raises:
            ApiError: also where the tree is too large and was cut.
        """
        params: dict[str, str | int] = {"recursive": 1} if recursive else {}
        found = _object(self.api.get(f"{self._at}/git/trees/{_part(sha)}", params))
        if found.get("truncated"):
            raise ApiError(200, f"the tree {sha[:7]} is too large to be listed")
        return [entry for entry in found["tree"] if isinstance(entry, dict)]

    def create_blob(self, content: bytes) -> str:
        body = {"content": base64.b64encode(content).decode(), "encoding": "base64"}
        return self._made(self.api.post(f"{self._at}/git/blobs", body, repeatable=True))

    def create_tree(self, base_tree: str, blobs: dict[str, str]) -> str:
        """Return the sha of `base_tree` (none: "") with these paths replaced by these blobs."""
        entries = [
            {"path": path, "mode": "100644", "type": "blob", "sha": sha}
            for path, sha in blobs.items()
        ]
        body = {"tree": entries} | ({"base_tree": base_tree} if base_tree else {})
        return self._made(self.api.post(f"{self._at}/git/trees", body, repeatable=True))

    def create_commit(self, message: str, tree: str, parents: Sequence[str]) -> str:
        body = {"message": message, "tree": tree, "parents": list(parents)}
        return self._made(self.api.post(f"{self._at}/git/commits", body, repeatable=True))

    def branch_sha(self, branch: str) -> str:
        """Return the commit that a branch is at, "" where there is no such branch."""
        return self.ref_sha(f"heads/{branch}")

    def create_branch(self, branch: str, sha: str) -> None:
        self.api.post(f"{self._at}/git/refs", {"ref": f"refs/heads/{branch}", "sha": sha})

    def update_branch(self, branch: str, sha: str) -> None:
        """Move a branch forward; one that has moved meanwhile is refused (422)."""
        path = f"{self._at}/git/refs/heads%2F{_part(branch)}"
        self.api.patch(path, {"sha": sha, "force": False})

    def ref_sha(self, ref: str) -> str:
        """Return the commit that a ref is at, "" where there is none.

        Args:
            ref: Without the leading ``refs/``.
        """
        try:
            found = _object(self.api.get(f"{self._at}/git/ref/{_part(ref)}"))
        except ApiError as error:
            if error.status == 404:
                return ""
            raise
        return str(found["object"]["sha"])

    def set_ref(self, ref: str, sha: str) -> None:
        """Point a ref outside of the branches at a commit, wherever it was before."""
        if self.ref_sha(ref):
            path = f"{self._at}/git/refs/{_part(ref)}"
            self.api.patch(path, {"sha": sha, "force": True})
        else:
            self.api.post(f"{self._at}/git/refs", {"ref": f"refs/{ref}", "sha": sha})

    def pulls_of_commit(self, sha: str) -> list[Json]:
        """Return the pull requests that brought a commit to its branch; none for a fork's."""
        return list(self.api.pages(f"{self._at}/commits/{_part(sha)}/pulls"))

    # Workflow runs.

    def run(self, run_id: int) -> Json:
        return _object(self.api.get(f"{self._at}/actions/runs/{run_id}"))

    def runs_of(self, sha: str) -> list[Json]:
        """Return the workflow runs with this head, newest first."""
        params = {"head_sha": sha}
        return list(self.api.pages(f"{self._at}/actions/runs", params, key="workflow_runs"))

    def run_artifacts(self, run_id: int) -> list[Json]:
        path = f"{self._at}/actions/runs/{run_id}/artifacts"
        return list(self.api.pages(path, key="artifacts"))

    def download_artifact(self, artifact_id: int, *, most: int = MOST_ARTIFACT_BYTES) -> bytes:
        """Return an artifact's zip file, of at most `most` bytes."""
        return self.api.download(f"{self._at}/actions/artifacts/{artifact_id}/zip", most=most)

    def rerun(self, run_id: int) -> None:
        """Start a completed run once more, as its next attempt."""
        self.api.post(f"{self._at}/actions/runs/{run_id}/rerun")

    def _made(self, found: Any) -> str:
        return str(_object(found)["sha"])


def login_of(api: Api) -> str:
    """Return whose token this is; the workflow's own may not ask (403) and is the bot's."""
    try:
        return str(_object(api.get("/user")).get("login", BOT))
    except ApiError as error:
        if error.status in (401, 403, 404):
            return BOT
        raise


def _part(text: str) -> str:
    """Percent-encode one parameter of a path, slashes as well."""
    return quote(text, safe="")


def _object(found: Any) -> Json:
    if not isinstance(found, dict):
        raise ApiError(200, "the API's answer is no object")
    return found
