"""The workflows of a repository: their gates, and what becomes of those that are there already.

They are kept, replaced, removed or only named.
"""

import hashlib
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

import yaml

from ragate.errors import RagateError, StorageError
from ragate.files.atomic_files import write_atomic
from ragate.files.foreign_files import read_text
from ragate.version import REPOSITORY

PLACEHOLDER = "0" * 40
_COMMIT = re.compile(rf"({re.escape(REPOSITORY)}@)([0-9a-f]{{40}})(?:[ \t]+#[^\n]*)?")
_LINE = re.compile(r"\A# Written by `ragate init`[^\n]*: ([0-9a-f]{16})\n")
FOLDER = ".github/workflows"
MAX_BYTES = 1024 * 1024
_ON_RUNNER = re.compile(r"\bragate action\b(.*)", re.DOTALL)
_ELSEWHERE = frozenset({"command", "decide"})


@dataclass(frozen=True)
class WorkflowGate:
    """One step that runs a gate.

    Attributes:
        name: What the step calls it; "" where it takes the configuration's.
        folder: Where ragate.toml is, below the repository's root; "." for the root.
        config: The file's name.
        mode: ``check``, ``collect`` and so on.
    """

    name: str
    folder: str = "."
    config: str = "ragate.toml"
    mode: str = "check"

    @property
    def in_checkout(self) -> bool:
        """Whether the step has the folder: the other modes read the base from GitHub."""
        return self.mode not in _ELSEWHERE


def gates_of(text: str) -> Iterator[WorkflowGate]:
    """Yield the gates of a workflow's text; none where it is no workflow."""
    if "gate" not in text:  # as most are: reading YAML takes its time
        return
    for job in _tables(_table(_loaded(text).get("jobs")).values()):
        variables = _table(job.get("env"))
        for step in _tables(job.get("steps")):
            yield from _gate_of_step(step, variables)


def _loaded(text: str) -> Mapping[str, Any]:
    try:
        return _table(yaml.safe_load(text))
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}


def _gate_of_step(step: Mapping[str, Any], variables: Mapping[str, Any]) -> Iterator[WorkflowGate]:
    given = _table(step.get("with"))
    run = _given(_text(step.get("run")))
    if isinstance(given.get("gate"), str):
        yield _gate(given)
    elif match := _ON_RUNNER.search(run):
        options = dict(_options(match[1]))
        if "gate" in options:
            yield _gate(options)
    elif "ragate check" in run:
        path = PurePosixPath(_given(_text(variables.get("RAGATE_CONFIG")) or "ragate.toml"))
        yield WorkflowGate("", str(path.parent), path.name)
    elif "ragate collect --shard" in run:
        folder = _given(_text(step.get("working-directory"))) or "."
        yield WorkflowGate("", folder, mode="collect")


def _gate(given: Mapping[str, Any]) -> WorkflowGate:
    return WorkflowGate(
        _given(_text(given.get("gate"))),
        _given(_text(given.get("working-directory")) or "."),
        _given(_text(given.get("config")) or "ragate.toml"),
        _text(given.get("mode")) or "check",
    )


def _options(line: str) -> Iterator[tuple[str, str]]:
    try:
        words = shlex.split(line, comments=True)
    except ValueError:
        return
    for word, following in zip(words, [*words[1:], ""], strict=True):
        name, is_given, value = word.removeprefix("--").partition("=")
        if word.startswith("--"):
            yield name, value if is_given else following


def _given(text: str) -> str:
    return text.replace("${{ '${{' }}", "${{")


def _text(value: object) -> str:
    # A list of aliases of aliases would fill the memory as text.
    return value if isinstance(value, str) else ""


def _table(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _tables(value: object) -> Iterator[Mapping[str, Any]]:
    if not isinstance(value, str):
        for each in value if hasattr(value, "__iter__") else ():
            yield _table(each)


@dataclass(frozen=True)
class EarlierWorkflow:
    """A workflow of this gate that is not what init would write now.

    Attributes:
        new_text: What stands under its name now; None where nothing does.
        unchanged: Init wrote it, and nobody changed it since.
    """

    path: Path
    new_text: str | None
    unchanged: bool


def workflow_texts(top: Path) -> Iterator[tuple[Path, str]]:
    """Yield the workflows of a repository; no link is followed, and what is unreadable left out."""
    folder = top / FOLDER
    if folder.is_symlink() or folder.parent.is_symlink():
        return
    for path in sorted([*folder.glob("*.yml"), *folder.glob("*.yaml")]):
        try:
            if not path.is_symlink():
                yield path, read_text(path, error=RagateError, max_bytes=MAX_BYTES)
        except RagateError:
            continue


def of_folder(top: Path, folder: str, gate: str) -> Iterator[tuple[Path, str]]:
    """Yield the workflows that run the gate of a folder, "." for the repository's root."""
    for path, text in workflow_texts(top):
        if any(_is_of(each, folder, gate) for each in gates_of(text)):
            yield path, text


def _is_of(found: WorkflowGate, folder: str, gate: str) -> bool:
    here = (found.folder, found.config) == (folder, "ragate.toml")
    return here and (found.in_checkout or found.name == gate)


def earlier_workflows(
    top: Path, folder: str, gate: str, wanted: Mapping[str, str]
) -> list[EarlierWorkflow]:
    """Return the gate's workflows that differ from the wanted ones.

    Args:
        wanted: Texts by file name.
    """
    return [
        EarlierWorkflow(path, wanted.get(path.name), is_unchanged(text))
        for path, text in of_folder(top, folder, gate)
        if wanted.get(path.name) != text
    ]


def named_commit(top: Path, folder: str, gate: str) -> str:
    """Return the commit of the action that the gate's workflows name, "" for none."""
    commits = (commit_in(text) for _, text in of_folder(top, folder, gate))
    return next(filter(None, commits), "")


def replace_all(workflows: Sequence[EarlierWorkflow]) -> None:
    """Write the new texts, and remove what has none.

    Raises:
        StorageError: a file cannot be written or removed.
    """
    for each in workflows:
        try:
            if each.new_text is None:
                each.path.unlink()
            else:
                write_atomic(each.path, each.new_text.encode())
        except OSError as error:
            raise StorageError(f"{each.path}: cannot be replaced: {error.strerror}") from error


# How init knows a workflow again that it wrote: a digest of its text in the first line.


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
