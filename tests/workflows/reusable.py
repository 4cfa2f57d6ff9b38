"""Our reusable workflows (`workflow_call`), and what of them runs for each caller."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from tests.workflows.blocks import ROOT, workflows

FOLDER = ROOT / ".github" / "workflows"
_CALL = re.compile(r"ragate/ragate/\.github/workflows/([\w-]+\.yml)@[0-9a-f]{40}")
_EVENT = re.compile(r"github\.event_name == '(\w+)'")
_COMMENT = "github.event.issue.pull_request && startsWith(github.event.comment.body, '/ragate')"


def loaded(path: Path) -> dict[str, Any]:
    """Return a workflow with its triggers under ``on``, which YAML 1.1 reads as True."""
    found: dict[Any, Any] = yaml.load(path.read_text("utf-8"), yaml.CSafeLoader)
    return {("on" if key is True else str(key)): value for key, value in found.items()}


@functools.cache
def reusable() -> dict[str, dict[str, Any]]:
    """Return the workflows that other repositories call, by file name."""
    found = {path.name: loaded(path) for path in sorted(FOLDER.glob("*.yml"))}
    return {name: one for name, one in found.items() if "workflow_call" in one["on"]}


def callers() -> Iterator[tuple[str, dict[str, Any], dict[str, Any], str]]:
    """Yield every job of the manual that calls one: its place, its workflow, itself, the callee."""
    for block in workflows():
        workflow = block.parsed()
        for name, job in workflow["jobs"].items():
            if match := _CALL.fullmatch(job.get("uses", "")):
                yield f"{block.page}:{block.line}:{name}", workflow, job, match[1]


def called_jobs() -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """Yield the jobs that run for a caller, with the caller's triggers as far as they let it in.

    A condition on what set the workflow off is gone, since the triggers say the same.
    """
    for place, workflow, _, callee in callers():
        for name, job in reusable()[callee]["jobs"].items():
            events = events_of(job, reusable()[callee]["jobs"])
            triggers = {key: one for key, one in workflow["on"].items() if key in events}
            plain = dict(job)
            if job.get("if") != _COMMENT:
                plain.pop("if", None)
            yield f"{place}/{callee}:{name}", {"on": triggers, "permissions": {}}, plain


def events_of(job: dict[str, Any], others: dict[str, dict[str, Any]]) -> set[str]:
    """Return the events for which a job runs; its `if` has to be one of the known kinds."""
    said = job.get("if")
    if said is None:
        needed = job.get("needs")
        return events_of(others[needed], others) if needed else {"pull_request"}
    if said == _COMMENT:
        return {"issue_comment"}
    events = _EVENT.findall(said)
    assert " || ".join(f"github.event_name == '{event}'" for event in events) == said
    return set(events)
