"""Files that another job left: regular ones, inside the workspace, below a size; never followed."""

import os
import stat
from collections import defaultdict
from pathlib import Path

from ragate.errors import DatasetError
from ragate.outputs.outputs_file import read_header, read_outputs
from ragate.outputs.recorded_output import RecordedOutput

MAX_BYTES = 256 * 1024 * 1024
MOST_OF_SHARDS = 2 * 1024**3  # of all together: what one file of outputs may have
MOST_FILES = 20


def untrusted_outputs(path: Path, workspace: Path, *, shards: int = 0) -> list[Path]:
    """Return the outputs files at `path`: the file itself, or those of a folder.

    Args:
        shards: Into how many parts they are split, 0 for none: these may be more files.

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
    most, most_bytes = MOST_FILES * max(1, shards), MOST_OF_SHARDS if shards else MAX_BYTES
    if len(files) > most:
        raise DatasetError(f"{path.name}: more than {most} files of outputs")
    total = sum(_size(file) for file in files)
    if total > most_bytes:
        raise DatasetError(f"{path.name}: {total} bytes of outputs, and the limit is {most_bytes}")
    return files


def attempts_that_count(
    files: list[Path], max_unmeasured: float, *, sharded: bool = False
) -> list[Path]:
    """Return the files of attempts that count, or all where none does.

    What an earlier attempt could not measure, for want of a key or of a model's reply, a later one
    measures. One that measured enough is evidence and stays, whatever it shows.

    Args:
        max_unmeasured: Share of outputs that may be unmeasured: ``max_unscored`` of the policy.
        sharded: The files are shards: of each one those of its attempts that count.
    """
    attempts = defaultdict[int, list[Path]](list)
    for file in files:
        attempts[_shard_of(file) if sharded else 0].append(file)
    counting = (
        [file for file in group if _unmeasured_share(file) <= max_unmeasured] or group
        for group in attempts.values()
    )
    return [file for group in counting for file in group]


def _shard_of(file: Path) -> int:
    header = read_header(file)
    return header.shard.number if header is not None and header.shard is not None else 0


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
