"""A run that is sent to the run store."""

from contextlib import ExitStack

from ragate.answers.system_session import Session
from ragate.contrib.run_store.sender import sending
from ragate.gate.gate_setup import GateSetup
from ragate.run.plan import RunPlan
from ragate.scoring.scorer import Scorer


class Send:
    """Holds a run in the store while it goes on."""

    def __init__(self, plan: RunPlan, _setup: GateSetup) -> None:
        self._operations = plan.operations
        self._stack = ExitStack()

    def opened(self, session: Session, _scorer: Scorer) -> None:
        if session.asks:
            url, say = self._operations.runs_url, self._operations.say
            self._stack.enter_context(sending(url, session.ready.folder, say))

    def ended(self, error: BaseException | None) -> None:
        kind = None if error is None else type(error)
        self._stack.__exit__(kind, error, None if error is None else error.__traceback__)
