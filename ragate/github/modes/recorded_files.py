"""A baseline's files on the way from the job that records it to the job that may commit it.

What the system's code needs is installed in the first, which may write nothing; the second runs
nothing but the action.
"""

from pathlib import Path

from ragate.baseline import (
    contexts_path,
    load_baseline,
    load_contexts,
    load_replies,
    requests_path,
)
from ragate.config import Config
from ragate.errors import BaselineError
from ragate.github.gate.step_context import StepContext
from ragate.support.atomic_files import write_atomic
from ragate.support.foreign_files import inside, read_bytes

FOLDER = "ragate-baseline"
_MOST_BYTES = 512 * 1024**2


def hand_over(context: StepContext, config: Config) -> Path:
    """Copy the baseline's files to where the workflow takes them from; return the folder."""
    folder = context.project / (context.inputs.outputs_path or FOLDER)
    folder.mkdir(parents=True, exist_ok=True)
    for path in baseline_paths(config):
        if path.is_file():
            (folder / path.name).write_bytes(path.read_bytes())
    return folder


def take_over(context: StepContext, config: Config) -> bool:
    """Put recorded files in place of the baseline's; return whether there were any.

    Raises:
        BaselineError: one cannot be read as what it has to be; none is put in place.
    """
    where, given = "outputs-path", context.inputs.outputs_path
    folder = inside(context.project, given, where=where, error=BaselineError)
    found: dict[Path, bytes] = {}
    for path in baseline_paths(config):
        if (folder / path.name).exists():
            real = inside(folder, path.name, where=where, error=BaselineError)
            found[path] = read_bytes(real, error=BaselineError, max_bytes=_MOST_BYTES)
    if config.baseline not in found:
        return False
    recorded = folder / config.baseline.name
    load_baseline(recorded)
    load_contexts(recorded)
    load_replies(requests_path(recorded))
    for path, content in found.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        write_atomic(path, content)
    return True


def baseline_paths(config: Config) -> tuple[Path, ...]:
    """Return all files that a baseline may have; not each is there."""
    path = config.baseline
    return (path, contexts_path(path), requests_path(path))
