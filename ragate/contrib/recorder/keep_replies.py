"""The model replies of a recorded run, kept with it: it may become a baseline."""

from ragate.answers.system_session import Session
from ragate.contrib.recorder.baseline_replies import save_run_replies
from ragate.gate.gate_setup import GateSetup
from ragate.run.plan import RunPlan


class KeepReplies:
    """Keeps them where the run asked for all of them: one that goes on was given a part."""

    def __init__(self, plan: RunPlan, _setup: GateSetup) -> None:
        self._whole = plan.interrupted is None

    def asked(self, session: Session) -> None:
        if self._whole and session.asks:
            save_run_replies(session.system, session.ready.folder)
