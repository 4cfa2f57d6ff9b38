"""Workflows of this gate that are there already: kept, replaced, removed or only named."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from ragate.cli.workflows.gates import WorkflowGate, gates_of
from ragate.cli.workflows.signature import commit_in, is_unchanged
from ragate.errors import RagateError, StorageError
from ragate.support.atomic_files import write_atomic
from ragate.support.foreign_files import read_text

FOLDER = ".github/workflows"
MAX_BYTES = 1024 * 1024


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
