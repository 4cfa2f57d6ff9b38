"""Runs with their artifacts, and comments that give commands, on the stand-in for GitHub."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.container.runner import StepResult, run_step
from tests.e2e.action.forge import ROOT, Change, Forge

GATE = "gate"
BOT = "github-actions[bot]"


def judged(
    forge: Forge, change: Change, *, run_id: int = 1, attempt: int = 1, **options: Any
) -> StepResult:
    """Check a pull request as a workflow run, and upload its result as the workflow does."""
    workspace = forge.checkout(change.merge)
    result = forge.check(change, workspace=workspace, run_id=run_id, run_attempt=attempt, **options)
    forge.github.add_run(run_id, head_sha=change.head, run_attempt=attempt)
    upload(forge, run_id, f"ragate-{GATE}-{change.head}-{attempt}", workspace / ".ragate/result")
    return result


def upload(forge: Forge, run_id: int, name: str, folder: Path) -> None:
    """Upload a folder as an artifact of a run; nothing where there is none."""
    if folder.is_dir():
        files = {
            path.relative_to(folder).as_posix(): path.read_bytes()
            for path in folder.rglob("*")
            if path.is_file()
        }
        forge.github.add_artifact(run_id, name, files)


def say(
    forge: Forge,
    body: str,
    *,
    login: str = "octocat",
    number: int = 7,
    action: str = "created",
    comment: Mapping[str, Any] | None = None,
    **options: Any,
) -> StepResult:
    """Write a comment, and run the step that it sets off."""
    made = comment or forge.github.add_comment(number, body, login)
    forge.folder.joinpath("empty").mkdir(exist_ok=True)
    return run_step(
        ROOT,
        workspace=forge.folder / "empty",
        event_name="issue_comment",
        event={
            "action": action,
            "issue": {"number": number, "pull_request": {"url": "x"}},
            "comment": made,
            "repository": forge.repository(),
        },
        inputs={"mode": "command", "comment": "always", **options.pop("inputs", {})},
        sha=forge.base,
        ref="refs/heads/main",
        run_id=99,
        api_url=forge.github.url,
        **options,
    )


def replies(forge: Forge, number: int = 7) -> list[str]:
    """Return what we answered, without the sticky comment."""
    return [
        str(one["body"])
        for one in forge.github.comments[number]
        if one["user"]["login"] == BOT and "<!-- ragate:1" not in str(one["body"])
    ]


def sticky(forge: Forge) -> str:
    """Return the gate's one comment."""
    (found,) = [
        str(one["body"])
        for one in forge.github.comments[7]
        if str(one["body"]).startswith("<!-- ragate:1")
    ]
    return found
