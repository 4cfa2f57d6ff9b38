"""``--control``: outputs of the base version, scored beside the candidate's."""

from __future__ import annotations

from pathlib import Path

from ragate.config import Config
from ragate.models import Run


def load_control(config: Config, path: Path | None) -> Run | None:
    """Return the scored control run; None where no file is given.

    Raises:
        DatasetError: the file cannot be read.
    """
    if path is None:
        return None
    from ragate.pipeline.line import score_outputs

    return score_outputs(config, path)
