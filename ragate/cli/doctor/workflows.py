"""The workflows that run the action: what is left to fill in, and what an older manual showed."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from ragate.cli.finding import Finding, ok, plural, problem, warning
from ragate.cli.init.action_workflows import PLACEHOLDER, RELEASES, REPOSITORY
from ragate.config import CONFIG_NAME
from ragate.errors import RagateError
from ragate.support import git
from ragate.support.foreign_files import read_text

CHECK = "workflows"
MAX_BYTES = 1024 * 1024
_GROUP_OF_ALL = re.compile(r"^concurrency:", re.MULTILINE)
_ON_RUNNER = re.compile(r"\bragate action\b(.*)", re.DOTALL)
_OPTION = re.compile(r"--(gate|working-directory|config)[ =]+[\"']?([^\s\"']+)")
_COMMANDS = re.compile(r"^\s*mode:\s*[\"']?command\b", re.MULTILINE)


def workflows(root: Path) -> list[Finding]:
    """Say what of the workflows in the repository of `root` keeps the action from its work."""
    texts = _using_the_action(git.repository(root) or root)
    findings: list[Finding] = []
    for name, text in texts.items():
        if f"{REPOSITORY}@{PLACEHOLDER}" in text:
            message = f"{name} names no release of the action: zeros stand for its commit"
            findings.append(warning(CHECK, message, f"put the commit there: {RELEASES}"))
        if _COMMANDS.search(text) and _GROUP_OF_ALL.search(text):
            message = (
                f"in {name} the concurrency group is the whole workflow's: any comment joins it"
            )
            findings.append(
                warning(
                    CHECK, message, "put it on the job, behind its `if`: docs/workflows-forks.md"
                )
            )
    findings += _of_one_name(texts)
    return findings or [ok(CHECK, f"{plural(len(texts), 'workflow')} with the action")]


def _of_one_name(texts: Mapping[str, str]) -> Iterator[Finding]:
    """Yield gates of one name in several folders: each would overwrite the other's status."""
    folders: dict[str, set[str]] = defaultdict(set)
    for text in texts.values():
        for gate, folder in _gates(text):
            folders[gate].add(folder)
    for gate, named in folders.items():
        if len(named) > 1:
            yield problem(
                CHECK,
                f"two gates are named {gate}: {', '.join(sorted(named))}; each would overwrite the "
                "other's status and comment",
                "give one of them another `gate` in each of its workflows",
            )


def _gates(text: str) -> Iterator[tuple[str, str]]:
    """Yield name and configuration of each step that uses the action."""
    try:
        flow = yaml.safe_load(text)
    except (yaml.YAMLError, ValueError, RecursionError):
        return
    jobs = flow.get("jobs") if isinstance(flow, dict) else None
    for job in jobs.values() if isinstance(jobs, dict) else ():
        steps = job.get("steps") if isinstance(job, dict) else None
        for step in steps if isinstance(steps, list) else ():
            if isinstance(step, dict):
                yield from _gate_of(step)


def _gate_of(step: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    inputs = step.get("with")
    if f"{REPOSITORY}@" in str(step.get("uses")) and isinstance(inputs, dict):
        # The workflow for comments has no checkout, and so no folder.
        if inputs.get("mode") in {"command", "decide"} or not isinstance(inputs.get("gate"), str):
            return
        folder = str(inputs.get("working-directory") or ".")
        yield inputs["gate"], f"{folder}/{inputs.get('config') or CONFIG_NAME}"
    elif match := _ON_RUNNER.search(str(step.get("run") or "")):
        options = dict(_OPTION.findall(match[1]))
        if "gate" in options:
            folder = options.get("working-directory", ".")
            yield options["gate"], f"{folder}/{options.get('config', CONFIG_NAME)}"


def _using_the_action(top: Path) -> dict[str, str]:
    """Return the text of each workflow that uses the action; a link is not followed."""
    folder = top / ".github/workflows"
    texts: dict[str, str] = {}
    if any(path.is_symlink() for path in (folder, folder.parent)):
        return texts
    for path in sorted([*folder.glob("*.yml"), *folder.glob("*.yaml")]):
        try:
            text = "" if path.is_symlink() else _text(path)
        except RagateError:
            continue
        if f"{REPOSITORY}@" in text:
            texts[path.relative_to(top).as_posix()] = text
    return texts


def _text(path: Path) -> str:
    return read_text(path, error=RagateError, max_bytes=MAX_BYTES)
