"""A judge without a client for its model: noticed before more is paid for in vain."""

from __future__ import annotations

from ragate import plugins
from ragate.errors import RagateError
from ragate.protocols import ChatClient
from ragate.runtime.resources import Opened


class ClientWatch:
    """Gives a judge its clients, and notes why there is none: most likely a key that is not set.

    Attributes:
        failure: Why the judge has no client, once it has asked for one.

    Args:
        use: The system under test: its calls cost something or not.
        needed: A metric of level error needs the judge: without it there is no decision.
    """

    def __init__(self, opened: Opened, *, use: str, needed: bool) -> None:
        self._opened = opened
        self._traits = plugins.traits(use)
        self._needed = needed
        self.failure: RagateError | None = None

    def chat(self, name: str) -> ChatClient:
        try:
            return self._opened.judge.chat(name)
        except RagateError as error:
            self.failure = error
            raise

    def refuse_waste(self) -> None:
        """Raise where what is still to be collected would be paid for in vain.

        Where collecting costs nothing it goes on: other metrics may tell more.
        """
        if self.failure is not None and self._needed and self._costs():
            raise self.failure

    def _costs(self) -> bool:
        if self._traits.counted:
            return self._opened.budget.calls > 0
        return not self._traits.recorded
