"""Files that are written where there are none yet."""

from dataclasses import dataclass
from pathlib import Path

from ragate.errors import StorageError
from ragate.files.foreign_files import read_text, start_of

IGNORED = ".ragate/"
MAX_BYTES = 1024 * 1024


@dataclass(frozen=True)
class NewFile:
    """A file to be written, where there is none yet."""

    path: Path
    content: str


def write_new(file: NewFile) -> bool:
    """Write a file and return True; return False, and change nothing, where there is another.

    Raises:
        StorageError: it cannot be written.
    """
    if file.path.is_symlink() or file.path.exists():
        return start_of(file.path, MAX_BYTES) == file.content
    try:
        file.path.parent.mkdir(parents=True, exist_ok=True)
        with file.path.open("x", encoding="utf-8", newline="\n") as stream:
            stream.write(file.content)
    except OSError as error:
        raise StorageError(f"{file.path}: cannot write: {error.strerror}") from error
    return True


def ignore_state(root: Path) -> bool:
    """Add the state folder to .gitignore; return False where it is there already.

    Raises:
        StorageError: the file cannot be read or written.
    """
    path = root / ".gitignore"
    try:
        text = read_text(path, error=StorageError) if path.exists() else ""
        if {line.strip().strip("/") for line in text.splitlines()} & {".ragate", ".ragate/*"}:
            return False
        with path.open("a", encoding="utf-8", newline="\n") as stream:
            stream.write(f"{'' if not text or text.endswith(chr(10)) else chr(10)}{IGNORED}\n")
    except OSError as error:
        raise StorageError(
            f"{path}: cannot be changed: {error}", remedy=f"add the line {IGNORED} to it"
        ) from error
    return True
