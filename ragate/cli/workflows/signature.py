"""How init knows a workflow again that it wrote: a digest of its text in the first line."""

import hashlib
import re

REPOSITORY = "ragate/ragate"
PLACEHOLDER = "0" * 40
_COMMIT = re.compile(rf"({re.escape(REPOSITORY)}@)([0-9a-f]{{40}})(?:[ \t]+#[^\n]*)?")
_LINE = re.compile(r"\A# Written by `ragate init`[^\n]*: ([0-9a-f]{16})\n")


def signed(text: str) -> str:
    """Return a workflow with the line that says who wrote it."""
    return (
        "# Written by `ragate init`, which replaces it while nothing but the action's commit "
        f"is changed: {_digest(text)}\n{text}"
    )


def is_unchanged(text: str) -> bool:
    """Return whether `text` is as init wrote it, whichever commit of the action it names."""
    text = text.replace("\r\n", "\n")
    line = _LINE.match(text)
    return line is not None and line[1] == _digest(text[line.end() :])


def commit_in(text: str) -> str:
    """Return the commit of the action that a workflow names, "" for none or the placeholder."""
    commits = (match[2] for match in _COMMIT.finditer(text))
    return next((commit for commit in commits if commit != PLACEHOLDER), "")


def _digest(text: str) -> str:
    return hashlib.sha256(_COMMIT.sub(r"\1", text).encode()).hexdigest()[:16]
