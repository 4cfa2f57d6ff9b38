"""The recording of a baseline as a run; one that was interrupted asks nothing again.

Its answers count only for the very state that gave them: the same commit, with nothing changed
since, the same rules, questions and system. Calls that the clients remember need no such proof:
each is known by its whole request.
"""

from collections.abc import Sequence
from pathlib import Path

from ragate.errors import RagateError
from ragate.models import Sample
from ragate.pipeline.baseline.look_before_recording import look_before_recording
from ragate.pipeline.baseline.refuse_recording import refuse_left_out, refuse_missing
from ragate.pipeline.decide.gate_setup import GateSetup
from ragate.pipeline.run.earlier_passes import evidence_key
from ragate.pipeline.run.system_session import Session
from ragate.pipeline.score.scorer import Scorer
from ragate.recorder.open_system import RecordedSystem
from ragate.run.plan import RecordingMark, RunPlan
from ragate.run.resume import finished_outputs, is_recent
from ragate.runtime.resources import Opened
from ragate.stores.local import LocalStore, new_run_id
from ragate.stores.run_outputs import mend_outputs
from ragate.support.atomic_files import write_atomic
from ragate.support.foreign_files import first_bytes

RECORDING_FILE = "recording"


class FreshRecording:
    """What is refused before an answer is paid for, and what an interrupted recording had."""

    def __init__(self, plan: RunPlan, setup: GateSetup) -> None:
        if plan.recording is None:
            raise AssertionError("a run that records no baseline")
        self._plan, self._setup, self._mark = plan, setup, plan.recording

    async def opening(self, opened: Opened) -> None:
        """See that the judge, and the model that answers, can be asked."""
        plan, setup = self._plan, self._setup
        await look_before_recording(
            plan.config,
            plan.operations,
            opened,
            setup.samples,
            setup.baseline,
            resumed=bool(self._mark.run_id),
        )

    async def opened(self, session: Session, scorer: Scorer) -> None:
        """Refuse what would make no baseline, and take over what an interrupted recording had."""
        config, samples, mark = self._plan.config, self._setup.samples, self._mark
        manifest = session.collected.manifest
        if manifest.missing_documents:
            refuse_missing(manifest.missing_documents, await session.system.documents())
        refuse_left_out(scorer.left_out)
        system, selection = session.system.info, self._plan.selection
        state = evidence_key(config, samples, system, selection, clean=manifest.clean)
        if count := restore_answers(session, samples, mark, state):
            session.operations.say(
                f"{count} answers of the recording that was interrupted are kept"
            )
        note_progress(session, mark, state)


def recording_of(state_folder: Path) -> RecordingMark:
    """Return the recording that was interrupted there, or a new one, which is noted."""
    path = state_folder / RECORDING_FILE
    try:
        lines = first_bytes(path, 1000).decode("ascii").split()
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
