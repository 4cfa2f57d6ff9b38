"""The session of a check: with the passes of earlier runs, or with what this run had."""

from collections.abc import Sequence

from ragate.models import Sample
from ragate.pipeline.decide.compare_and_decide import Decided
from ragate.pipeline.decide.final_verdict import plan_confirmation
from ragate.pipeline.resume.run_start import RunStart
from ragate.pipeline.run.earlier_passes import adopt_earlier, evidence_key
from ragate.pipeline.run.ready_system import ReadySystem
from ragate.pipeline.run.system_session import Session
from ragate.pipeline.score.scorer import Scorer


def begin_session(
    start: RunStart,
    ready: ReadySystem,
    scorer: Scorer,
    samples: Sequence[Sample],
    *,
    judge_last: bool,
) -> tuple[Session, int]:
    """Return the session with what there is already, and how many passes are of earlier runs."""
    config, operations, selection = start.config, start.operations, start.selection
    listen = (lambda *_: None) if judge_last else scorer.submit
    session = Session(ready, listen=listen, room=scorer.room)
    own_files = (operations.state, *operations.own_files)
    session.name_state(
        evidence_key(config, samples, ready.system.info, selection, own_files=own_files)
    )
    confirm, repeats = config.policy.decision.confirm, config.policy.repeats
    plan_confirmation(session, runs=selection.runs, confirm=confirm, repeats=repeats)
    if start.interrupted is not None:
        return session, start.take_up(session, samples)
    earlier = adopt_earlier(session, samples)
    start.note(session, samples)
    return session, earlier


def with_resumed(start: RunStart, session: Session, decided: Decided) -> Decided:
    """Say that the run was interrupted, and what of it does not count."""
    if start.interrupted is None:
        return decided
    if session.left_over:
        decided = decided.with_warnings(
            f"{session.left_over} outputs of a further pass, from before the interruption, are "
            "not counted: the first look asks for none now"
        )
    return decided.with_line("The run was interrupted, and went on with the outputs that it had.")
