"""``--control``: outputs of the base version, scored beside the candidate's."""

import asyncio
from pathlib import Path

from ragate.config import Config
from ragate.models import Run
from ragate.runtime.operations import Operations


def load_control(config: Config, operations: Operations, path: Path | None) -> Run | None:
    """Return the scored control run; None where no file is given.

    Raises:
        DatasetError: the file cannot be read.
    """
    if path is None:
        return None
    from ragate.pipeline.decide_outputs import score_outputs

    return asyncio.run(score_outputs(config, operations, path))
