"""The workflows that run the action: what is left to fill in, and what an older manual showed."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path

from ragate.cli.finding import Finding, ok, plural, problem, warning
from ragate.cli.init.action_workflows import RELEASES
from ragate.cli.workflows.earlier import workflow_texts
from ragate.cli.workflows.gates import gates_of
from ragate.cli.workflows.signature import PLACEHOLDER, REPOSITORY
from ragate.config import CONFIG_NAME
from ragate.support import git

CHECK = "workflows"
_GROUP_OF_ALL = re.compile(r"^concurrency:", re.MULTILINE)
_COMMANDS = re.compile(r"^\s*mode:\s*[\"']?command\b", re.MULTILINE)


def workflows(root: Path, gate: str = "") -> list[Finding]:
    """Say what of the workflows in the repository of `root` keeps the action from its work.

    Args:
        gate: The name that the configuration gives; "" where it cannot be read.
    """
    top = git.repository(root) or root
    using = ((path, text) for path, text in workflow_texts(top) if f"{REPOSITORY}@" in text)
    texts = {path.relative_to(top).as_posix(): text for path, text in using}
    findings: list[Finding] = []
    if waiting := [name for name, text in texts.items() if f"{REPOSITORY}@{PLACEHOLDER}" in text]:
        message = f"no release of the action is named in {', '.join(waiting)}: zeros stand for it"
        findings.append(warning(CHECK, message, f"put the commit there: {RELEASES}"))
    for name, text in texts.items():
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
    findings += _of_two_names(texts, top, root, gate) if gate else ()
    return findings or [ok(CHECK, f"{plural(len(texts), 'workflow')} with the action")]


def _of_one_name(texts: Mapping[str, str]) -> Iterator[Finding]:
    """Yield gates of one name in several folders: each would overwrite the other's status."""
    folders: dict[str, set[str]] = defaultdict(set)
    for gate in (gate for text in texts.values() for gate in gates_of(text) if gate.in_checkout):
        folders[gate.name].add(f"{gate.folder}/{gate.config}")
    for name, named in folders.items():
        if name and len(named) > 1:
            yield problem(
                CHECK,
                f"two gates are named {name}: {', '.join(sorted(named))}; each would overwrite the "
                "other's status and comment",
                "give one of them another `gate` in each of its workflows",
            )


def _of_two_names(texts: Mapping[str, str], top: Path, root: Path, gate: str) -> Iterator[Finding]:
    """Yield workflows that call this folder's gate by another name than its configuration."""
    folder = root.relative_to(top).as_posix() if root.is_relative_to(top) else "."
    for name, text in texts.items():
        for found in gates_of(text):
            here = found.in_checkout and (found.folder, found.config) == (folder, CONFIG_NAME)
            if here and found.name not in {"", gate}:
                yield warning(
                    CHECK,
                    f"{name} calls the gate {found.name}; on this machine its name is {gate}",
                    f'write gate = "{found.name}" below [policy], so that both reports have one '
                    "heading",
                )
                return
