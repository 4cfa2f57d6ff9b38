"""A recording of a baseline that was interrupted: what it asked is not asked again.

Its answers count only for the very state that gave them: the same commit, with nothing changed
since, the same rules, questions and system. Calls that the clients remember need no such proof:
each is known by its whole request.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ragate.errors import RagateError
from ragate.models import Sample
from ragate.pipeline.run.collected_outputs import read_collected
from ragate.pipeline.run.system_session import Session
from ragate.recorder.recorded_system import RecordedSystem
from ragate.runtime.output_spool import Outputs, Spool
from ragate.stores.local import LocalStore, new_run_id
from ragate.support.atomic_files import write_atomic

RECORDING_FILE = "recording"
_LONGEST_S = 24 * 3600.0  # what stands outside of git may be another one by then


@dataclass(frozen=True)
class RecordingMark:
    """A recording under way, as its file in the state folder says.

    Attributes:
        name: Names its draws of model requests.
        state: What is recorded; "" where that cannot be told.
        run_id: Where its outputs are.
    """

    name: str
    state: str = ""
    run_id: str = ""


def recording_of(state_folder: Path) -> RecordingMark:
    """Return the recording that was interrupted there, or a new one, which is noted."""
    path = state_folder / RECORDING_FILE
    try:
        lines = path.read_text(encoding="ascii").split()
    except (OSError, ValueError):
        lines = []
    if lines and len(lines[0]) <= 100:
        return RecordingMark(*lines[:3])
    begun = RecordingMark(new_run_id())
    write_atomic(path, begun.name.encode())
    return begun


def note_progress(session: Session, recording: RecordingMark, state: str) -> None:
    """Note where the outputs of this recording are from now on, and of which state they are."""
    lines = (
        [recording.name, state, session.collected.manifest.run_id] if state else [recording.name]
    )
    write_atomic(session.operations.state / RECORDING_FILE, "\n".join(lines).encode())


def forget_recording(state_folder: Path) -> None:
    """Note that the recording came to its end."""
    (state_folder / RECORDING_FILE).unlink(missing_ok=True)


def restore_answers(
    session: Session, samples: Sequence[Sample], recording: RecordingMark, state: str
) -> int:
    """Take over the answers of the interrupted recording of `state`; return their number.

    Not where the recorder stands before the system: it remembers each call, and has to see them
    all. What a provider left unanswered is asked again.
    """
    if not state or recording.state != state or session.system.max_runs is not None:
        return 0
    if isinstance(session.system, RecordedSystem):
        return 0
    try:
        path = LocalStore(session.operations.state).folder(recording.run_id) / "outputs.jsonl"
        if not 0.0 <= time.time() - path.stat().st_mtime <= _LONGEST_S:
            return 0
        passes = read_collected([path], samples).passes
    except (OSError, RagateError):
        return 0
    answered = [_answered(outputs, samples) for outputs in passes]
    session.restore(samples, answered)
    return sum(map(len, answered))


def _answered(outputs: Outputs, samples: Sequence[Sample]) -> Outputs:
    answered = Spool()
    for sample in samples:
        output = outputs.get(sample.id)
        if output is not None and (output.error is None or output.error.kind != "provider"):
            answered[sample.id] = output
    return answered
