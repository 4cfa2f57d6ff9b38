"""Functions of a Node project that take a question, each reached by a small program."""

import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from ragate.cli.detect.fields import IDS, PASSAGES, QUESTION
from ragate.cli.detect.found_system import FoundSystem
from ragate.cli.detect.programs.node_adapter import NAME, adapter_text
from ragate.cli.detect.programs.script_files import ScriptFile, manifest, script_files

_NAMES = re.compile(r"ask|answer|query|chat|rag|question|respond|retriev|search", re.IGNORECASE)
_RETRIEVES = re.compile(r"retriev|search", re.IGNORECASE)
_FUNCTION = re.compile(
    r"(?P<export>export\s+(?:default\s+)?)?(?:async\s+)?function\s+(?P<name>\w+)\s*\((?P<takes>[^)]{0,200})\)"
    r"|(?P<const_export>export\s+)?const\s+(?P<const>\w+)\s*=\s*(?:async\s*)?"
    r"(?:\((?P<const_takes>[^)]{0,200})\)|(?P<single>\w+))\s*=>"
)
_EXPORTED = re.compile(
    r"module\.exports\s*=\s*(?:\{(?P<listed>[^}]{0,2000})\}|(?P<one>\w+))"
    r"|\bexports\.(?P<named>\w+)\s*=|export\s*\{(?P<also>[^}]{0,2000})\}"
    r"|export\s+default\s+(?P<default>\w+)\s*;?\s*$",
    re.MULTILINE,
)
_BROWSER = re.compile(
    r"\b(?:window|document)\.|[\"']use client[\"']|from [\"']react|fetch\(\s*[\"'`]/"
)
_WORD = re.compile(r"\w+")
_MOST = 20  # of one file
_CI = "in CI the job has to install what the program needs first: npm ci"


def find_node_functions(root: Path) -> Iterator[FoundSystem]:
    """Yield the functions that a Node project exports and that take a question."""
    if manifest(root) is None:
        return
    for file in script_files(root):
        if not _BROWSER.search(file.text):
            yield from islice(_functions(file), _MOST)


def _functions(file: ScriptFile) -> Iterator[FoundSystem]:
    exported, words = _exported(file.text), frozenset(_WORD.findall(file.text))
    for match in _FUNCTION.finditer(file.text):
        name = match["name"] or match["const"]
        takes = (match["takes"] or match["const_takes"] or match["single"] or "").strip()
        field, customary = _taken(takes)
        is_exported = match["export"] or match["const_export"] or name in exported
        if is_exported and takes and customary and _NAMES.search(name):
            yield _found(file, name, field, match, words)


def _found(
    file: ScriptFile, name: str, field: str, match: re.Match[str], words: frozenset[str]
) -> FoundSystem:
    default = "default" in (match["export"] or "")
    line = file.text.count("\n", 0, match.start()) + 1
    retrieves = bool(_RETRIEVES.search(name))
    passages = retrieves or bool(words & {*PASSAGES, "sourceDocuments"})
    near = 8 * (name.lower() in {"ask", "answer", "rag", "chat"})
    # A page's own search and a database's query are named so as well.
    weak = retrieves or name.lower() == "query"
    return FoundSystem(
        "command",
        f"the function {name}() in {file.path}:{line}, by {NAME}",
        50 + near + 6 * passages - 14 * weak,
        settings={"command": ["node", NAME]},
        answers=not retrieves,
        passages=passages,
        ids=passages and bool(words & {*IDS, "docId", "fileName"} - {"id", "key", "name"}),
        unsure=(f"{NAME} calls it, and reads answer and passages by their usual names", _CI),
        files={NAME: adapter_text(file.path, "" if default else name, field)},
    )


def _taken(takes: str) -> tuple[str, bool]:
    """Return the field of the first parameter that takes the question, and whether one does."""
    if takes.startswith("{"):
        names = re.findall(r"\w+", takes.partition("}")[0])
        field = next((name for name in QUESTION if name in names), "")
        return field, bool(field)
    first = re.match(r"\w+", takes)
    return "", bool(first and first[0].lower() in {*QUESTION, "userquestion", "userquery"})


def _exported(text: str) -> set[str]:
    names = set()
    for match in _EXPORTED.finditer(text):
        listed = match["listed"] or match["also"] or ""
        names |= {part.split(":")[0].split(" as ")[0].strip() for part in listed.split(",")}
        names |= {match[key] for key in ("one", "named", "default") if match[key]}
    return names
