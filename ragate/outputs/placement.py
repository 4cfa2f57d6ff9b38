"""Where the outputs of several files belong that are parts of one run."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from ragate.models import RunManifest, Sample
from ragate.outputs.recorded_output import RecordedOutput


class Placement(Protocol):
    """Where the outputs of several files belong that are parts of one run."""

    def place(self, path: Path, where: str, line: RecordedOutput) -> int:
        """Return the pass that an output is of."""

    def refuse_half(self) -> None:
        """Raise for a file that is not whole, once all are read."""

    def manifest(self, samples: Sequence[Sample]) -> RunManifest:
        """Return the manifest of the whole run."""

    def lack(self, sample: Sample) -> str:
        """Return why there is no output of a sample."""
