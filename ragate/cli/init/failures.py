"""What a question that gave no answer is told: one table, from what failed to what to do."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence, Set
from pathlib import Path

from ragate.cli.finding import plural
from ragate.errors import RagateError
from ragate.version import MANUAL

ENVIRONMENTS = (".venv", "venv", "env")
KEY_WANTED = re.compile(r"answered (401|403)\b")
NOT_THERE = re.compile(r"answered (404|405)\b")
MODULE = re.compile(r"(?:[Nn]o module named|needs the module) '([\w.]+)'")
# What a message holds, and what is said of it: the first that fits.
_REMEDIES = {
    r"start: no success": "",  # has a remedy of its own
    KEY_WANTED.pattern: (
        "name the header that it wants, and the variable with its value: "
        f"--header Authorization=RAG_AUTHORIZATION ({MANUAL}/system-http.md#keys)"
    ),
    r"PackageNotFoundError": "install the project itself there: pip install --editable .",
    r"export named|is not a function": "write `export` before it in the file that has it",
    r"Cannot find (?:module|package)|ERR_MODULE_NOT_FOUND": (
        "type `npm ci` first, and `npm run build` where the project has a build"
    ),
    r"what is no JSON: (?!<)": (
        "the system http reads JSON, and this is a text: --have code calls its function"
    ),
    r"ECONNREFUSED|[Cc]onnection (?:refused|error)|Connect call failed|connection failed": (
        "something that it needs is not running, such as its database or its model: start it"
    ),
    r"answered 500": (
        "its own log says why: start it by the command above, ask it by hand, see what it prints; "
        "--pass-env NAME lets it have a key"
    ),
}
_NO_INDEX = re.compile(
    r"ENOENT|FileNotFound|[Nn]o such (?:file|table|collection|index)|does not exist"
)
_VARIABLE = re.compile(
    r"\b([A-Z][A-Z0-9]*_[A-Z0-9_]+)\b(?=.{0,80}(?:not set|unset|missing|required|must be set"
    r"|environment|undefined))|KeyError: '([A-Z][A-Z0-9_]{3,})'",
    re.DOTALL,
)
_ANOTHER = "mend it and type the same again, or say what else you have: --have code|service|program"


class UnansweredError(RagateError):
    """What may be the RAG gave no answer: no decision."""


def unanswered(
    failed: Sequence[RagateError], root: Path, *, hidden: Set[str], fills: Sequence[str]
) -> UnansweredError:
    """Return why none of the tries was answered, and what to do about it.

    Args:
        failed: What each try was told. hidden: Variables that were not handed on.
        fills: Files and commands of the project that may fill its index.
    """
    reasons = list(dict.fromkeys(error.message for error in failed))
    reasons.sort(key=lambda reason: bool(NOT_THERE.search(reason)))  # missing paths last
    more = f"; and {plural(len(reasons) - 3, 'more reason')}" if len(reasons) > 3 else ""
    words = "\n".join(reasons)
    remedy = _of_project(words, root, hidden, fills) or next(
        (remedy for pattern, remedy in _REMEDIES.items() if re.search(pattern, words)), ""
    )
    if not remedy and all(NOT_THERE.search(reason) for reason in reasons):
        remedy = "say which path takes the question: --have service --at http://HOST:PORT/PATH"
    if not remedy and len(reasons) == 1:
        remedy = failed[0].remedy
    keys = "--pass-env NAME lets it have a key; " if hidden else ""
    message = "; ".join(reasons[:3]) + more
    return UnansweredError(message, remedy=remedy or f"{keys}{_ANOTHER}")


def _of_project(words: str, root: Path, hidden: Set[str], fills: Sequence[str]) -> str:
    """Return a remedy that names what is there: an environment, a key, a script."""
    if missing := MODULE.search(words):
        where = ", ".join(having(root, missing[1])) or "no environment here"
        return f"{where} has {missing[1]!r}: install your RAG's packages beside ragate; {_ANOTHER}"
    if named := sorted(name for name in hidden if name in words):
        return f"it may have this key: --pass-env {named[0]}"
    if unset := _VARIABLE.search(words):
        name = unset[1] or unset[2]
        return f"set {name} here or in .env, and hand it on where it is a key: --pass-env {name}"
    if fills and _NO_INDEX.search(words):
        return f"its index may have to be filled first: {fills[0]}"
    return ""


def having(root: Path, module: str) -> list[str]:
    """Return the interpreters of environments in which a module is installed; none is started."""
    name = module.partition(".")[0]
    active = (os.environ.get(key, "") for key in ("VIRTUAL_ENV", "CONDA_PREFIX"))
    folders = [*(Path(folder) for folder in ENVIRONMENTS), *map(Path, filter(None, active))]
    return [
        str(folder / "bin/python")
        for folder in folders
        if (root / folder / "bin/python").exists()
        and any((root / folder).glob(f"lib/python3*/site-packages/{name}*"))
    ]
