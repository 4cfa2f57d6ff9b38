"""The parts of a baseline file."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from pydantic import Field

from ragate.models import Acceptance, Failure, Frozen, MetricInfo, SystemInfo

SCHEMA_VERSION = 1
MAX_BYTES = 256 * 1024**2
Store = Literal["full", "answers", "hashes"]


class Recorded(Frozen):
    """When and from what the baseline was recorded; kept while the scores stay the same."""

    commit: str = ""
    date: str = ""


class StoredOutput(Frozen):
    """One distinct output of a sample."""

    output: str
    retrieval: str
    request: str | None = None
    docs: tuple[str, ...] = ()
    answer: str | None = None
    citations: tuple[int, ...] | None = None
    error: Failure | None = None
    scores: dict[str, float | str] = {}


class StoredSample(Frozen):
    """One sample: its content hash, its distinct outputs and the output of each pass."""

    hash: str
    outputs: tuple[StoredOutput, ...] = Field(min_length=1)
    runs: tuple[int, ...] = Field(min_length=1)


class BaselineFile(Frozen):
    """The whole file."""

    schema_version: int
    recorded: Recorded
    dataset: str = ""
    store: Store = "answers"
    system: SystemInfo
    judge: str | None = None
    metrics: dict[str, MetricInfo] = {}
    states: dict[str, dict[str, float]] = {}
    runs: int = Field(ge=1)
    identical: int = Field(default=0, ge=0)
    accepted: tuple[Acceptance, ...] = ()
    eval_date: str = ""
    aggregates: tuple[dict[str, float | str], ...] = ()
    samples: dict[str, StoredSample] = {}


def contexts_path(path: Path) -> Path:
    """Return where ``store = "full"`` keeps the contexts of the baseline at `path`."""
    return path.with_name(f"{path.stem}.contexts.jsonl.gz")
