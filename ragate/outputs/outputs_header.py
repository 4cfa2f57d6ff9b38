"""The first line of an outputs file that ragate wrote: where the outputs come from."""

import json
from pathlib import Path
from typing import Any, TypeGuard

from pydantic import Field

from ragate.errors import DatasetError
from ragate.models import Frozen, RunManifest
from ragate.support.foreign_files import open_regular
from ragate.support.strict_json import loads

OUTPUTS_VERSION = 1
MAX_BYTES = 2 * 1024**3
_MOST_OF_HEADER = 64 * 1024 * 1024


class ShardClaim(Frozen):
    """What the file of one shard says of itself.

    Attributes:
        plan: Digest of the plan that it was collected by.
        number: Which shard it is, from 1.
        of: How many there are.
        attempt: Which attempt of a workflow's run it is of, from 1.
        full: Passes over all of its samples.
        again: Passes after these over samples that had changed, before tries of must-pass samples.
        passes: All of its passes.
        lines: Number of outputs in the file.
        content: SHA-256 of everything after the first line.
    """

    plan: str
    number: int = Field(ge=1)
    of: int = Field(ge=1)
    attempt: int = Field(default=1, ge=1)
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
        shard: Which part of a plan it is; None for a file that is whole by itself.
    """

    ragate_outputs: int = OUTPUTS_VERSION
    manifest: RunManifest
    samples: int = 0
    shard: ShardClaim | None = None


def header_line(header: OutputsHeader) -> str:
    """Return the first line of an outputs file."""
    value = header.model_dump(mode="json", exclude=None if header.shard else {"shard"})
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False) + "\n"


def is_header(value: Any) -> TypeGuard[dict[str, Any]]:
    """Return whether a line's value is a header, of whatever version."""
    return isinstance(value, dict) and "ragate_outputs" in value


def refuse_other_format(path: Path, value: dict[str, Any]) -> None:
    """Raise for a header of another format.

    Raises:
        DatasetError: names both.
    """
    if value["ragate_outputs"] != OUTPUTS_VERSION:
        raise DatasetError(
            f"{path}:1: outputs of format {value['ragate_outputs']!r}; this ragate reads "
            f"{OUTPUTS_VERSION}",
            remedy="collect them again with the same version of ragate on both sides",
        )


def first_value(path: Path) -> Any:
    """Return the value of the first line, None where there is none.

    Raises:
        DatasetError: the file cannot be read, or the line is no JSON.
    """
    with open_regular(path, error=DatasetError, max_bytes=MAX_BYTES) as file:
        line = file.readline(_MOST_OF_HEADER)
    return loads(line, where=f"{path}:1", error=DatasetError) if line.strip() else None
