"""What GitHub knows of one repository, and what the stub was asked."""

from __future__ import annotations

import datetime
import io
import json
import re
import threading
import zipfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tests.servers.github.git import GitStore

TOKEN = "ghs_" + "t0ken" * 7
BOT = "github-actions[bot]"
Json = dict[str, Any]


@dataclass(frozen=True)
class Account:
    """Whose token it is and what it may write: pulls, statuses, contents, actions.

    Attributes:
        asks_who: May ask for its own name; the token of a workflow may not.
    """

    login: str = BOT
    kind: str = "Bot"
    writes: frozenset[str] = frozenset({"pulls", "statuses", "contents", "actions"})
    asks_who: bool = False


@dataclass
class Fault:
    """What goes wrong with the requests that fit, `times` times.

    Attributes:
        lost: It is done, and the connection is cut in place of an answer.
        delay_s: It is done, and the answer comes so much later.
        after: So many requests that fit are left alone first.
    """

    method: str
    path: str
    status: int = 0
    message: str = "injected"
    headers: Mapping[str, str] = field(default_factory=dict)
    lost: bool = False
    delay_s: float = 0.0
    times: int = 1
    after: int = 0

    def fits(self, method: str, path: str) -> bool:
        return self.method in ("*", method) and re.search(self.path, path) is not None


@dataclass(frozen=True)
class Seen:
    """A request as it came; `host` is ``api`` or ``storage``."""

    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: bytes
    host: str = "api"

    def json(self) -> Any:
        return json.loads(self.body)


@dataclass(frozen=True)
class Reply:
    """An answer: JSON, or bytes as they are."""

    status: int
    value: Any = None
    headers: Mapping[str, str] = field(default_factory=dict)
    raw: bytes | None = None

    def content(self) -> bytes:
        if self.raw is not None:
            return self.raw
        return b"" if self.status == 204 else json.dumps(self.value).encode()


@dataclass
class GitHub:
    """The repository's state, and everything that was asked.

    Attributes:
        examples: Whole objects by kind, under ours, where an answer must have every field.
        raw_type: What a file's bytes are called; the judge of answers takes ``+json`` for JSON.
        permissions: By login; who is missing is no collaborator.
        statuses: By commit, oldest first.
        authors: By commit; of any other it is the pull request's author.
    """

    git: GitStore
    name: str = "octo-org/handbook"
    url: str = ""
    storage_url: str = ""
    default_branch: str = "main"
    raw_type: str = "application/vnd.github.raw+json; charset=utf-8"
    examples: dict[str, Json] = field(default_factory=dict)
    accounts: dict[str, Account] = field(default_factory=lambda: {TOKEN: Account()})
    permissions: dict[str, str] = field(default_factory=lambda: {"octocat": "admin"})
    comments: dict[int, list[Json]] = field(default_factory=lambda: defaultdict(list))
    statuses: dict[str, list[Json]] = field(default_factory=lambda: defaultdict(list))
    authors: dict[str, str] = field(default_factory=dict)
    pulls: dict[int, Json] = field(default_factory=dict)
    runs: dict[int, Json] = field(default_factory=dict)
    artifacts: dict[int, Json] = field(default_factory=dict)
    files: dict[int, bytes] = field(default_factory=dict)
    requests: list[Seen] = field(default_factory=list)
    faults: list[Fault] = field(default_factory=list)
    lock: threading.RLock = field(default_factory=threading.RLock)
    stopped: threading.Event = field(default_factory=threading.Event)
    last_id: int = 1000

    def new_id(self) -> int:
        self.last_id += 1
        return self.last_id

    def now(self) -> str:
        """Return the time as GitHub writes it."""
        return datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

    def fault(self, method: str, path: str, **what: Any) -> Fault:
        """Have requests go wrong: `path` is a pattern, ``*`` is any method; see `Fault`."""
        made = Fault(method, path, **what)
        self.faults.append(made)
        return made

    def next_fault(self, method: str, path: str) -> Fault | None:
        for fault in self.faults:
            if fault.times > 0 and fault.fits(method, path):
                if fault.after > 0:
                    fault.after -= 1
                    continue
                fault.times -= 1
                return fault
        return None

    def commit(
        self,
        files: Mapping[str, bytes | None],
        *,
        parents: Sequence[str] = (),
        branch: str = "",
        message: str = "a change",
    ) -> str:
        """Return a new commit: the first parent's files with these replaced (None: removed)."""
        base = self.git.tree_of(parents[0]) if parents else ""
        blobs = {
            path: None if content is None else self.git.blob(content)
            for path, content in files.items()
        }
        sha = self.git.commit(self.git.tree_with(base, blobs), parents, message)
        if branch:
            assert self.git.move(branch, sha, self.git.resolve(f"refs/heads/{branch}"))
        return sha

    def add_pull(
        self,
        number: int,
        *,
        head: str,
        base: str,
        head_ref: str = "change",
        head_repository: str = "",
        author: str = "octocat",
    ) -> Json:
        """Open a pull request; another `head_repository` makes it one from a fork."""
        source = head_repository or self.name
        self.pulls[number] = pull = {
            "number": number,
            "state": "open",
            "mergeable": True,
            "updated_at": self.now(),
            "requested_teams": [],
            "title": f"Pull request {number}",
            "user": account(author),
            "head": {
                "sha": head,
                "ref": head_ref,
                "label": f"{source.split('/')[0]}:{head_ref}",
                "repo": {"id": 1 if source == self.name else 2, "full_name": source},
            },
            "base": {
                "sha": base,
                "ref": self.default_branch,
                "label": f"{self.name.split('/')[0]}:{self.default_branch}",
                "repo": {"id": 1, "full_name": self.name},
            },
        }
        return pull

    def add_comment(self, number: int, body: str, login: str = "octocat", kind: str = "") -> Json:
        """Write a comment as somebody."""
        made = self.new_id()
        comment = {
            "id": made,
            "body": body,
            "user": account(login, kind or ("Bot" if login.endswith("[bot]") else "User")),
            "html_url": f"https://github.com/{self.name}/pull/{number}#issuecomment-{made}",
            "url": f"{self.url}/repos/{self.name}/issues/comments/{made}",
            "performed_via_github_app": None,
            "created_at": "2026-11-20T10:00:00Z",
            "updated_at": "2026-11-20T10:00:00Z",
        }
        self.comments[number].append(comment)
        return comment

    def add_run(
        self,
        run_id: int,
        *,
        head_sha: str,
        event: str = "pull_request",
        head_repository: str = "",
        **more: Any,
    ) -> Json:
        """Add a completed workflow run."""
        repository = head_repository or self.name
        self.runs[run_id] = run = {
            "id": run_id,
            "name": "ragate",
            "event": event,
            "head_sha": head_sha,
            "head_branch": "change",
            "run_attempt": 1,
            "status": "completed",
            "conclusion": "success",
            "html_url": f"https://github.com/{self.name}/actions/runs/{run_id}",
            "head_repository": {
                "id": 1 if repository == self.name else 2,
                "full_name": repository,
            },
            "repository": {"id": 1, "full_name": self.name},
            **more,
        }
        return run

    def add_artifact(self, run_id: int, name: str, files: Mapping[str, bytes]) -> int:
        """Upload an artifact of a run and return its id."""
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
            for path, content in files.items():
                archive.writestr(path, content)
        return self.add_artifact_zip(run_id, name, packed.getvalue())

    def add_artifact_zip(self, run_id: int, name: str, content: bytes) -> int:
        """Upload an artifact as the zip file that it is handed out as."""
        made = self.new_id()
        self.files[made] = content
        self.artifacts[made] = {
            "id": made,
            "name": name,
            "size_in_bytes": len(content),
            "expired": False,
            "workflow_run": {"id": run_id, "head_sha": self.runs[run_id]["head_sha"]},
        }
        return made

    def writes(self) -> list[Seen]:
        """Return the requests that were to change something."""
        return [seen for seen in self.requests if seen.method != "GET"]


def account(login: str, kind: str = "User") -> Json:
    """Return a person or a bot as the API names it."""
    return {"login": login, "type": kind, "id": sum(login.encode())}
