"""Pull requests on a stand-in for GitHub, checked out as actions/checkout does, and the step."""

from __future__ import annotations

import ast
import json
import os
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ragate.cli.main import run as ragate
from tests.container.runner import StepResult, run_step
from tests.projects import ReplayProject, right
from tests.repositories import git
from tests.servers.github_stub import GitHub

ROOT = Path(__file__).parents[3]
Files = Mapping[str, bytes | None]
SAMPLES = 30
_COLLECTED: dict[tuple[str, ...], bytes] = {}


def recorded_project(
    folder: Path,
    *,
    policy: str = "",
    metrics: str = "",
    answers: Mapping[str, bytes] | None = None,
) -> dict[str, bytes]:
    """Return the files of a project on recorded outputs, its baseline included.

    Args:
        answers: The recordings, where they are not all right.
    """
    folder.mkdir(parents=True, exist_ok=True)
    ReplayProject(folder, samples=SAMPLES, policy=policy, metrics=metrics)
    for name, content in (answers or {}).items():
        (folder / name).write_bytes(content)
    before = Path.cwd()
    os.chdir(folder)
    try:
        assert ragate(["baseline", "update", "--runs", "3"]) == 0
    finally:
        os.chdir(before)
    names = [path for path in folder.rglob("*") if path.is_file()]
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in names
        if ".ragate" not in path.parts
    }


def outputs(*, broken: range = range(0), reworded: range = range(0)) -> dict[str, bytes]:
    """Return recorded outputs in which some samples lost their document and their answer.

    Args:
        reworded: Samples with another passage, which changes no score.
    """
    files = {}
    for run in range(3):
        lines = []
        for number in range(SAMPLES):
            line = dict(right(number, run))
            if number in broken:
                line = {"answer": "No idea.", "chunks": [{"doc_id": "other.md", "text": "Else."}]}
            elif number in reworded:
                line["chunks"] = [*line["chunks"], {"doc_id": "more.md", "text": "More."}]
            lines.append(json.dumps({"id": f"q{number}", **line}) + "\n")
        files[f"outputs/run{run}.jsonl"] = "".join(lines).encode()
    return files


@dataclass
class Change:
    """A pull request with its merge commit."""

    number: int
    base: str
    head: str
    merge: str
    pull: dict[str, Any]


@dataclass
class Forge:
    """A repository on the stub.

    Attributes:
        folder: Where workspaces are made.
        action: The folder of action.yml.
        env: Variables of every step.
        last: The workspace of the last step.
    """

    github: GitHub
    folder: Path
    action: Path = ROOT
    base: str = ""
    env: Mapping[str, str] = field(default_factory=dict)
    last: Path = Path()
    _made: int = field(default=0)

    def report(self) -> dict[str, Any]:
        """Return the report that the last step left."""
        found: dict[str, Any] = json.loads((self.last / ".ragate/result/report.json").read_text())
        return found

    def start(self, files: Files) -> str:
        """Put the first commit on main."""
        self.base = self.github.commit(files, branch="main")
        return self.base

    def change(self, files: Files, *, number: int = 7, fork: str = "") -> Change:
        """Open a pull request that changes these files."""
        head = self.github.commit(files, parents=[self.base], message="the change")
        merge = self.github.git.commit(
            self.github.git.tree_of(head), [self.base, head], "the merge"
        )
        pull = self.github.add_pull(number, head=head, base=self.base, head_repository=fork)
        pull["merge_commit_sha"] = merge
        return Change(number, self.base, head, merge, pull)

    def checkout(self, sha: str, *, depth: int = 2) -> Path:
        """Return a fresh workspace at a commit, as shallow as actions/checkout makes it."""
        self._made += 1
        workspace = self.folder / f"workspace{self._made}"
        workspace.mkdir(parents=True)
        source = f"file://{self.github.git.folder}"
        any_commit = "--upload-pack=git -c uploadpack.allowAnySHA1InWant=true upload-pack"
        git(workspace, "init", "--quiet", "--template=")
        git(workspace, "fetch", "--quiet", any_commit, f"--depth={depth}", source, sha)
        git(workspace, "checkout", "--quiet", "FETCH_HEAD")
        return workspace

    def check(
        self,
        change: Change,
        *,
        workspace: Path | None = None,
        depth: int = 2,
        event_name: str = "pull_request",
        payload: Mapping[str, Any] | None = None,
        sha: str = "",
        inputs: Mapping[str, str] | None = None,
        **options: Any,
    ) -> StepResult:
        """Run the step on a pull request; the mode is check unless the inputs say otherwise."""
        event = payload or self.payload(change)
        self.last = workspace or self.checkout(change.merge, depth=depth)
        return run_step(
            self.action,
            workspace=self.last,
            event_name=event_name,
            event=event,
            inputs={"comment": "always", **(inputs or {})},
            sha=sha or change.merge,
            api_url=self.github.url,
            env={**self.env, **options.pop("env", {})},
            **options,
        )

    def collect(self, change: Change, **options: Any) -> tuple[StepResult, bytes]:
        """Run the half without keys, and return what it would upload."""
        workspace = options.pop("workspace", None) or self.checkout(change.merge)
        options.setdefault("token", "")
        inputs = {"mode": "collect", **options.pop("inputs", {})}
        result = self.check(change, workspace=workspace, inputs=inputs, **options)
        path = workspace / "ragate-outputs.jsonl"
        return result, path.read_bytes() if path.is_file() else b""

    def collected(self, change: Change) -> bytes:
        """Return what that half uploads; the same change of the same pull request has run once."""
        seen = {**change.pull, "updated_at": ""}
        key = (change.merge, json.dumps(seen, sort_keys=True), str(self.action), str(self.env))
        if key not in _COLLECTED:
            _COLLECTED[key] = self.collect(change)[1]
        return _COLLECTED[key]

    def again(self, other: Forge, change: Change) -> Change:
        """Become as another repository is: its commits, and what stands on its pull requests."""
        shutil.rmtree(self.github.git.folder)  # its objects are read-only: nothing is written over
        shutil.copytree(other.github.git.folder, self.github.git.folder)
        for name in ("comments", "statuses", "pulls", "runs", "artifacts", "files", "permissions"):
            text = repr(dict(getattr(other.github, name))).replace(
                other.github.url, self.github.url
            )
            getattr(self.github, name).update(ast.literal_eval(text))
        self.github.last_id = other.github.last_id
        self.base = other.base
        return replace(change, pull=self.github.pulls[change.number])

    def decide(
        self,
        change: Change,
        collected: bytes | None,
        *,
        prepare: Callable[[Path], None] = lambda _path: None,
        run: Mapping[str, Any] | None = None,
        action: str = "completed",
        inputs: Mapping[str, str] | None = None,
        **options: Any,
    ) -> StepResult:
        """Run the half with keys, in a workspace that holds nothing but the artifact."""
        self._made += 1
        workspace = self.folder / f"workspace{self._made}"
        workspace.mkdir(parents=True)
        if collected is not None:
            (workspace / "ragate-outputs.jsonl").write_bytes(collected)
        prepare(workspace)
        self.last = workspace
        source = change.pull["head"]["repo"]["full_name"]
        told = {
            "id": 99,
            "run_attempt": 1,
            "event": "pull_request",
            "name": "collect",
            "conclusion": "success",
            "head_sha": change.head,
            "head_branch": change.pull["head"]["ref"],
            "head_repository": {"id": change.pull["head"]["repo"]["id"], "full_name": source},
            "pull_requests": [],
            **(run or {}),
        }
        return run_step(
            self.action,
            workspace=workspace,
            event_name="workflow_run",
            event={
                "action": action,
                "workflow_run": told,
                "repository": self.repository(),
            },
            inputs={"mode": "decide", "comment": "always", **(inputs or {})},
            sha=self.base,
            ref="refs/heads/main",
            api_url=self.github.url,
            env={**self.env, **options.pop("env", {})},
            **options,
        )

    def target(
        self,
        change: Change,
        action: str,
        *,
        changes: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> StepResult:
        """Run the half with keys where a pull request was opened, reopened or edited."""
        workspace = self.folder / "bare"
        workspace.mkdir(exist_ok=True)
        return run_step(
            self.action,
            workspace=workspace,
            event_name="pull_request_target",
            event={
                **self.payload(change),
                "action": action,
                "changes": changes or {},
            },
            inputs={"mode": "decide"},
            sha=self.base,
            ref="refs/heads/main",
            api_url=self.github.url,
            **options,
        )

    def payload(self, change: Change) -> dict[str, Any]:
        return {
            "action": "synchronize",
            "number": change.number,
            "pull_request": change.pull,
            "repository": self.repository(),
        }

    def repository(self) -> dict[str, Any]:
        return {"id": 1, "full_name": self.github.name, "default_branch": "main"}

    def states(self, sha: str) -> list[str]:
        """Return the states that were set on a commit, oldest first."""
        return [status["state"] for status in self.github.statuses[sha]]

    def comment(self, number: int = 7) -> str:
        """Return the one comment on a pull request."""
        (found,) = self.github.comments[number]
        return str(found["body"])
