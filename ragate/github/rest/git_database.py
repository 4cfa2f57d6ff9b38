"""Git's own objects and refs, through GitHub's API."""

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from ragate.github.rest.api import Api
from ragate.github.rest.api_error import GitHubApiError, unless_absent

Json = dict[str, Any]


@dataclass(frozen=True)
class Commit:
    """A commit's place in history."""

    sha: str
    tree: str
    parents: tuple[str, ...]


class GitDatabase:
    """What git holds of `name` (``owner/name``); every call may raise `GitHubApiError`."""

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
