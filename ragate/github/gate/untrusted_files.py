"""Files that another job left: regular ones, inside the workspace, below a size; never followed."""

import os
import stat
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ragate.errors import DatasetError
from ragate.outputs.outputs_file import read_outputs
from ragate.outputs.outputs_header import ShardClaim
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


@dataclass(frozen=True)
class _Part:
    """One file, by what it says of itself, and how many of its outputs are unmeasured."""

    file: Path
    claim: ShardClaim | None
    lines: int
    lost: int

    @property
    def share(self) -> float:
        return self.lost / self.lines if self.lines else 1.0

    @property
    def number(self) -> int:
        return self.claim.number if self.claim else 0

    @property
    def attempt(self) -> int:
        return self.claim.attempt if self.claim else 1


def attempts_that_count(
    files: list[Path], max_unmeasured: float, *, planned: int | None = None
) -> list[Path]:
    """Return the files of attempts that count, or all where none does.

    What an earlier attempt could not measure, for want of a key or of a model's reply, a later one
    measures. One that measured enough is evidence and stays, whatever it shows. Of shards one
    stays as well if its attempt measured enough: a small shard has few outputs to lose.

    Args:
        max_unmeasured: Share of outputs that may be unmeasured: ``max_unscored`` of the policy.
        planned: The files are shards of so many samples: of each those that count. An attempt that
            collected some shards only is held against all of these samples.
    """
    parts = [_read_part(file) for file in files]
    attempts, shards = defaultdict[int, list[_Part]](list), defaultdict[int, list[_Part]](list)
    for part in parts:
        attempts[part.attempt].append(part)
        shards[part.number if planned is not None else 0].append(part)
    whole = {
        attempt
        for attempt, group in attempts.items()
        if planned is not None and _share_of_run(group, planned) <= max_unmeasured
    }
    counting = (
        [one for one in group if one.share <= max_unmeasured or one.attempt in whole] or group
        for group in shards.values()
    )
    return [part.file for group in counting for part in group]


def _read_part(file: Path) -> _Part:
    header, lines = read_outputs(file)
    lost = [_is_unmeasured(line) for _, line in lines]
    return _Part(file, header.shard if header is not None else None, len(lost), sum(lost))


def _share_of_run(parts: Sequence[_Part], planned: int) -> float:
    """Return the unmeasured share of one attempt, which has at least a full run's outputs."""
    passes = max(part.claim.full if part.claim else 1 for part in parts)
    outputs = max(planned * passes, sum(part.lines for part in parts))
    return sum(part.lost for part in parts) / outputs if outputs else 1.0


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
