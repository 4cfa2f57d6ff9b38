"""The workflows that run the action: what is left to fill in, and what an older manual showed."""

import re
from pathlib import Path

from ragate.cli.finding import Finding, ok, plural, warning
from ragate.cli.init.action_workflows import PLACEHOLDER, RELEASES, REPOSITORY
from ragate.errors import RagateError
from ragate.support import git
from ragate.support.foreign_files import read_text

CHECK = "workflows"
MAX_BYTES = 1024 * 1024
_GROUP_OF_ALL = re.compile(r"^concurrency:", re.MULTILINE)
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
    return findings or [ok(CHECK, f"{plural(len(texts), 'workflow')} with the action")]


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
