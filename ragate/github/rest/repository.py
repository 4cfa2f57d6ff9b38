"""The calls that the gate makes, one function each, on one repository."""

from typing import Literal

from ragate.github.rest.api import Api
from ragate.github.rest.api_error import GitHubApiError, unless_absent
from ragate.github.rest.git_database import GitDatabase, Json, escaped, json_object
from ragate.support.escape import one_line

State = Literal["pending", "success", "failure", "error"]

LONGEST_DESCRIPTION = 140
MOST_ARTIFACT_BYTES = 256 * 1024 * 1024
_NONE: Json = {}
BOT = "github-actions[bot]"


class Repository(GitDatabase):
    """GitHub's repository `name` (``owner/name``); every call may raise `GitHubApiError`."""

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
