"""A file of recorded outputs: one JSON object a line, after a header where ragate wrote it."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeGuard, TypeVar
from zlib import crc32

from pydantic import Field, ValidationError

from ragate.core.hashing import content_hash
from ragate.errors import DatasetError
from ragate.files.foreign_files import open_regular
from ragate.files.strict_json import loads
from ragate.models import Frozen, RunManifest, Sample, SystemOutput
from ragate.outputs.foreign_lines import refuse_foreign
from ragate.outputs.recorded_output import RecordedOutput
from ragate.settings import first_fault
from ragate.version import MANUAL

M = TypeVar("M", bound=Frozen)
_TIMES = {"latency_s", "first_token_s"}
_MOST_OF_HEADER = 1024 * 1024
OUTPUTS_VERSION = 1
MAX_BYTES = 2 * 1024**3
_LONGEST_HEADER = 64 * 1024 * 1024


class ShardClaim(Frozen):
    """What the file of one shard says of itself.

    Attributes:
        number: Which shard it is, from 1.
        of: How many there are.
        run: What makes the run that it is a part of, by words for each part: all shards have the
            same.
        full: Passes over all of its samples.
        again: Passes after these over samples that had changed, before tries of must-pass samples.
        passes: All of its passes.
        lines: Number of outputs in the file.
        content: SHA-256 of everything after the first line.
    """

    number: int = Field(ge=1)
    of: int = Field(ge=1)
    run: dict[str, str]
    full: int = Field(ge=1, le=50)
    again: int = Field(default=0, ge=0, le=50)
    passes: int = Field(ge=1, le=200)
    lines: int = Field(ge=0)
    content: str


class OutputsHeader(Frozen):
    """First line of a file that ragate wrote.

    Attributes:
        manifest: Of the collecting run; it holds no metrics yet.
        samples: Number of samples asked in every full pass.
        shard: Which part of a run it is; None for a file that is whole by itself.
    """

    ragate_outputs: int = OUTPUTS_VERSION
    manifest: RunManifest
    samples: int = 0
    shard: ShardClaim | None = None


def header_line(header: OutputsHeader) -> str:
    """Return the first line of an outputs file."""
    value = header.model_dump(mode="json", exclude=None if header.shard else {"shard"})
    return f"{_dump(value)}\n"


def is_header(value: Any) -> TypeGuard[dict[str, Any]]:
    """Return whether a line's value is a header, of whatever version."""
    return isinstance(value, dict) and "ragate_outputs" in value


def output_line(sample: Sample, output: SystemOutput, *, run: int) -> str:
    """Return one output as a line that `read_outputs` and the replay system understand."""
    named = {"id": sample.id, "run": run, "hash": content_hash(sample), "question": sample.query}
    times = {"latency": output.latency_s, "first_token": output.first_token_s}
    rounded = {name: round(seconds, 6) for name, seconds in times.items() if seconds is not None}
    parts = (
        _dump(named),
        output.model_dump_json(exclude_defaults=True, exclude=_TIMES),
        _dump(rounded),
    )
    return f"{{{','.join(part[1:-1] for part in parts if len(part) > 2)}}}\n"


def read_outputs(path: Path) -> tuple[OutputsHeader | None, Iterator[tuple[int, RecordedOutput]]]:
    """Return the header, if there is one, and the outputs with their line numbers.

    Raises:
        DatasetError: names the file, the line and what is wrong with it.
    """
    return read_header(path), ((place.number, output) for place, output in read_locations(path))


@dataclass(frozen=True, slots=True)
class OutputLocation:
    """Where one recorded output stands, so that its texts need not stay in memory."""

    path: Path
    number: int
    offset: int
    check: int

    def read(self) -> RecordedOutput:
        """Return the output.

        Raises:
            DatasetError: the file cannot be read, or is no longer what it was.
        """
        with open_regular(self.path, error=DatasetError, max_bytes=MAX_BYTES) as file:
            file.seek(self.offset)
            line = file.readline()
        if crc32(line) != self.check:
            raise DatasetError(
                f"{self.path}:{self.number}: the file changed while it was read",
                remedy="let nothing write to recorded outputs while they are judged",
            )
        return RecordedOutput.model_validate_json(line.decode("utf-8-sig"))  # sound, as it was read


def read_locations(path: Path) -> Iterator[tuple[OutputLocation, RecordedOutput]]:
    """Yield the outputs of a file, header left out, each with the place where it stands.

    Raises:
        DatasetError: names the file, the line and what is wrong with it.
    """
    offset = count = 0
    is_ours = False
    with open_regular(path, error=DatasetError, max_bytes=MAX_BYTES) as file:
        for number, line in enumerate(file, start=1):
            location = OutputLocation(path, number, offset, crc32(line))
            offset += len(line)
            if not line.strip():
                continue
            count += 1
            value = loads(line, where=f"{path}:{number}", error=DatasetError)
            if count == 1 and is_header(value):
                _header(path, value)
                is_ours = True
            else:
                yield location, _output(path, number, value, is_ours)
    if not count:
        raise DatasetError(f"{path}: no recorded output in it")


def _header(path: Path, value: Any) -> OutputsHeader:
    if value["ragate_outputs"] != OUTPUTS_VERSION:
        raise DatasetError(
            f"{path}:1: outputs of format {value['ragate_outputs']!r}; this ragate reads "
            f"{OUTPUTS_VERSION}",
            remedy="collect them again with the same version of ragate on both sides",
        )
    return _validated(OutputsHeader, f"{path}:1", value)


def read_header(path: Path) -> OutputsHeader | None:
    """Return the header of a file that ragate wrote, None of another's.

    Raises:
        DatasetError: the file, or its first line, cannot be read.
    """
    if not written_by_ragate(path):
        return None
    with open_regular(path, error=DatasetError, max_bytes=MAX_BYTES) as file:
        line = file.readline(_LONGEST_HEADER)
    return _header(path, loads(line, where=f"{path}:1", error=DatasetError))


def written_by_ragate(path: Path) -> bool:
    """Return whether a file begins with the header that ragate writes."""
    with open_regular(path, error=DatasetError, max_bytes=MAX_BYTES) as file:
        return file.readline(_MOST_OF_HEADER).lstrip().startswith(b'{"ragate_outputs"')


def _output(path: Path, number: int, value: Any, is_ours: bool) -> RecordedOutput:
    """Return a line; who is not ragate may not know our names."""
    where = f"{path}:{number}"
    if not is_ours:
        refuse_foreign(path, where, value)
    return validated_output(where, value)


def validated_output(where: str, value: Any) -> RecordedOutput:
    """Return a line as a recorded output.

    Raises:
        DatasetError: names the place, the field and the value.
    """
    return _validated(RecordedOutput, where, value)


def _validated(model: type[M], where: str, value: Any) -> M:
    try:
        return model.model_validate(value)
    except ValidationError as error:
        raise DatasetError(
            f"{where}: {first_fault(error)}",
            remedy=f"{MANUAL}/replay.md shows the format of a line",
        ) from error


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
