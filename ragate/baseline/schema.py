"""The parts of a baseline file."""

from pathlib import Path
from typing import Literal, Self

from pydantic import Field, model_validator

from ragate.core.hashing import TEXT_DIGITS
from ragate.models import Acceptance, Failure, Frozen, Merged, MetricInfo, Moved, SystemInfo

SCHEMA_VERSION = 2
READABLE = frozenset({1, 2})  # version 1 knows neither the chunks' texts nor the settings
MAX_BYTES = 1024**3  # read line by line
WHOLE_BYTES = 256 * 1024**2  # of one that can only be read as a whole, or that is packed
Store = Literal["full", "answers", "hashes"]
# Recorded replies of a run, in its folder: it may become a baseline.
RUN_REPLIES = "requests.jsonl.gz"


class Recorded(Frozen):
    """When and from what the baseline was recorded; kept while the scores stay the same.

    Attributes:
        seconds: Times over the whole run, by metric: of that machine on that day, shown beside a
            later figure and compared with none.
    """

    commit: str = ""
    date: str = ""
    seconds: dict[str, float] = {}


class StoredOutput(Frozen):
    """One distinct output of a sample.

    Attributes:
        texts: Eight hex digits for the text of each of `docs`, "" where the texts are not known.
        finish_reason: Of an answer that was cut off; "" of any other.
    """

    output: str
    retrieval: str
    texts: str = Field(default="", pattern=r"^([0-9a-f]{8})*$")
    request: str | None = None
    docs: tuple[str, ...] = ()
    answer: str | None = None
    citations: tuple[int, ...] | None = None
    finish_reason: str = ""
    error: Failure | None = None
    scores: dict[str, float | str] = {}

    @model_validator(mode="after")
    def _a_hash_for_each_text(self) -> Self:
        if self.texts and len(self.texts) != TEXT_DIGITS * len(self.docs):
            raise ValueError(f"texts: {TEXT_DIGITS} digits for each of {len(self.docs)} docs")
        return self


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
    own_sessions: bool = False
    accepted: tuple[Acceptance, ...] = ()
    moved: Moved | None = None
    eval_date: str = ""
    merged: Merged | None = None
    aggregates: tuple[dict[str, float | str], ...] = ()
    samples: dict[str, StoredSample] = {}


def contexts_path(path: Path) -> Path:
    """Return where ``store = "full"`` keeps the contexts of the baseline at `path`."""
    return path.with_name(f"{path.stem}.contexts.jsonl.gz")


def requests_path(path: Path) -> Path:
    """Return where the recorded replies of the baseline at `path` are."""
    return path.with_name(f"{path.stem}.requests.jsonl.gz")


def baseline_paths(path: Path) -> tuple[Path, ...]:
    """Return all files that the baseline at `path` may have; not each is there."""
    return (path, contexts_path(path), requests_path(path))
