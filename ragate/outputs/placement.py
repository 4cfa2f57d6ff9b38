"""Where the outputs of several files belong that are parts of one run."""

from pathlib import Path
from typing import Protocol

from ragate.models import Sample
from ragate.outputs.recorded_output import RecordedOutput


class Placement(Protocol):
    """Where the outputs of several files belong that are parts of one run."""

    def place(self, path: Path, where: str, line: RecordedOutput) -> int:
        """Return the pass that an output is of."""

    def lack(self, sample: Sample) -> str:
        """Return why there is no output of a sample."""
