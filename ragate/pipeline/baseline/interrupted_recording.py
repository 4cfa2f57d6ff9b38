"""A recording of a baseline that was interrupted: what it asked is not asked again.

Its answers count only for the very state that gave them: the same commit, with nothing changed
since, the same rules, questions and system. Calls that the clients remember need no such proof:
each is known by its whole request.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ragate.errors import RagateError
from ragate.models import Sample
from ragate.pipeline.resume.finished_outputs import finished_outputs, is_recent
from ragate.pipeline.run.system_session import Session
from ragate.recorder.recorded_system import RecordedSystem
from ragate.stores.local import LocalStore, new_run_id
from ragate.stores.run_outputs import mend_outputs
from ragate.support.atomic_files import write_atomic

RECORDING_FILE = "recording"


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
        if not is_recent(path):
            return 0
        mend_outputs(path)  # its last line may be cut off
        answered = finished_outputs(path, samples)
    except RagateError:
        return 0
    session.restore(samples, answered)
    return sum(map(len, answered))
