"""What a budget is asked for a call, and what a budget of several processes answers."""

from dataclasses import dataclass
from typing import Protocol

from ragate.clients.tally import Tally
from ragate.errors import BudgetError


@dataclass(frozen=True)
class PlannedCall:
    """A call that is about to be sent.

    Attributes:
        provider: Its name in the policy, "" where it is not known.
        seconds: How long it may take, at most.
        again: It repeats an earlier one.
    """

    provider: str = ""
    model: str = ""
    seconds: float = 60.0
    again: bool = False


class BudgetShare(Protocol):
    """A budget of several processes, as one of them takes from it; its claims are above 0."""

    async def reserve(self, call: PlannedCall) -> int:
        """Take one call and return what names it; raises BudgetError where a cap is reached."""

    def settle(self, claim: int, cost_usd: float | None) -> None: ...

    def give_back(self, claim: int) -> None: ...

    def lost(self, claim: int) -> None: ...

    async def tell(self, tally: Tally) -> None:
        """Say what this process has spent in all."""


def cap_reached(key: str, cap: float, used: float) -> BudgetError:
    """Return the error of a cap of the policy."""
    return BudgetError(
        f"[policy] {key} = {cap:g} is reached ({used:g} used); the run stops here",
        remedy=f"finished outputs are kept; raise {key}, or run fewer samples with --limit",
    )
