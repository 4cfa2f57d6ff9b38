"""Pushes to the main branch."""

from __future__ import annotations

import json
from typing import Any

from tests.container.runner import StepResult, run_step
from tests.e2e.action.forge import ROOT, Files, Forge


def record(
    forge: Forge,
    *,
    event: str = "push",
    ref: str = "refs/heads/main",
    before: str = "",
    files: Files | None = None,
    **options: Any,
) -> StepResult:
    """Run the workflow of main on its newest commit, which a push brought after `before`.

    Args:
        files: What an earlier job left in the workspace.
    """
    head = forge.github.git.resolve("refs/heads/main")
    workspace = forge.last = forge.checkout(head, depth=options.pop("depth", 2))
    for name, content in (files or {}).items():
        path = workspace / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content or b"")
    push = {
        "ref": ref,
        "before": before or next(iter(forge.github.git.parents(head)), "0" * 40),
        "after": head,
        "repository": forge.repository(),
    }
    return run_step(
        ROOT,
        workspace=workspace,
        event_name=event,
        event={"schedule": "0 2 * * *"} if event == "schedule" else push,
        inputs={"mode": "baseline", **options.pop("inputs", {})},
        sha=head,
        ref=ref,
        api_url=forge.github.url,
        **options,
    )


def merged(forge: Forge, files: Files) -> str:
    """Put a commit on main."""
    return forge.github.commit(files, parents=[forge.base], branch="main")


def baseline_of(forge: Forge, ref: str = "refs/heads/main") -> dict[str, Any]:
    entry = forge.github.git.entry(ref, "baselines/gate.json")
    assert entry is not None
    found: dict[str, Any] = json.loads(forge.github.git.read(entry.sha))
    return found


def many(forge: Forge, first: Files) -> tuple[str, str]:
    """Push two commits, of which the second touches nothing; return where main was and is."""
    before = forge.base
    forge.base = merged(forge, first)
    return before, merged(forge, {"web/page.html": b"<p>hello</p>"})


def entry_of(forge: Forge, path: str) -> str:
    entry = forge.github.git.entry("refs/heads/main", path)
    assert entry is not None
    return entry.sha
