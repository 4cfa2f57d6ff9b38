"""What an interrupted run finished."""

import time
from collections.abc import Sequence
from pathlib import Path

from ragate.models import Sample
from ragate.pipeline.run.collected_outputs import read_collected
from ragate.runtime.output_spool import Outputs, Spool

_LONGEST_S = 24 * 3600.0  # what stands outside of git may be another one by then


def is_recent(path: Path) -> bool:
    """Return whether an outputs file was written within a day; False where there is none."""
    try:
        return 0.0 <= time.time() - path.stat().st_mtime <= _LONGEST_S
    except OSError:
        return False


def finished_outputs(path: Path, samples: Sequence[Sample]) -> list[Outputs]:
    """Return the outputs of an interrupted run, whose file is mended, pass by pass.

    What a provider left unanswered is none, and is asked again.

    Raises:
        DatasetError: the file cannot be read; names the line.
    """
    return [_answered(outputs, samples) for outputs in read_collected([path], samples).passes]


def _answered(outputs: Outputs, samples: Sequence[Sample]) -> Outputs:
    answered = Spool()
    for sample in samples:
        output = outputs.get(sample.id)
        if output is not None and (output.error is None or output.error.kind != "provider"):
            answered[sample.id] = output
    return answered
