"""Files that another job left: regular ones, inside the workspace, below a size; never followed."""

import os
import stat
from pathlib import Path

from ragate.errors import DatasetError
from ragate.outputs.outputs_file import read_outputs
from ragate.outputs.recorded_output import RecordedOutput

MAX_BYTES = 256 * 1024 * 1024
MOST_FILES = 20


def untrusted_outputs(path: Path, workspace: Path) -> list[Path]:
    """Return the outputs files at `path`: the file itself, or those of a folder.

    Raises:
        DatasetError: there is none, or one is a link, no regular file, or too large.
    """
    _refuse_links(path, workspace)
    if path.is_dir():
        files = sorted(file for file in path.iterdir() if file.suffix == ".jsonl")
    else:
        files = [path]
    if not files or not os.path.lexists(files[0]):
        raise DatasetError(
            f"{path.name}: there are no outputs",
            remedy="download the collecting job's artifact to outputs-path; if that job failed, "
            "its own log says why",
        )
    if len(files) > MOST_FILES:
        raise DatasetError(f"{path.name}: more than {MOST_FILES} files of outputs")
    total = sum(_size(file) for file in files)
    if total > MAX_BYTES:
        raise DatasetError(f"{path.name}: {total} bytes of outputs, and the limit is {MAX_BYTES}")
    return files


def attempts_that_count(files: list[Path], max_unmeasured: float) -> list[Path]:
    """Return the files of attempts that count, or all where none does.

    What an earlier attempt could not measure, for want of a key or of a model's reply, a later one
    measures. One that measured enough is evidence and stays, whatever it shows.

    Args:
        max_unmeasured: Share of outputs that may be unmeasured: ``max_unscored`` of the policy.
    """
    return [file for file in files if _unmeasured_share(file) <= max_unmeasured] or files


def _unmeasured_share(file: Path) -> float:
    lost = [_is_unmeasured(line) for _, line in read_outputs(file)[1]]
    return sum(lost) / len(lost) if lost else 1.0


def _is_unmeasured(line: RecordedOutput) -> bool:
    error = line.output().error
    return error is not None and error.kind == "provider"


def _size(file: Path) -> int:
    facts = file.lstat()
    if not stat.S_ISREG(facts.st_mode) or facts.st_nlink > 1:
        raise DatasetError(f"{file.name}: not a regular file of its own")
    return facts.st_size


def _refuse_links(path: Path, workspace: Path) -> None:
    if not path.is_relative_to(workspace):
        raise DatasetError(f"outputs-path {path.name!r} is outside of the workspace")
    for step in (path, *path.parents):
        if step == workspace:
            return
        if step.is_symlink():
            raise DatasetError(f"outputs-path: {step.name!r} is a link, which is not followed")
