"""Stops asking a provider that is out: the next call would wait for nothing."""

from dataclasses import dataclass, field

from ragate.errors import ProviderError

_SEVERAL = 5
_FIRST_REST_S = 0.1
_LONGEST_REST_S = 2.0


@dataclass
class Breaker:
    """Opens when `failures` calls in a row failed over at least `seconds`, and stays open.

    A burst of failures shorter than that is what retries are for. A refusal that holds for every
    further call (a wrong key) opens it at once, for one model or for all.
    """

    failures: int = 10
    seconds: float = 5.0
    in_a_row: int = 0
    _since: float = 0.0
    _refused: dict[str, ProviderError] = field(default_factory=dict)

    def check(self, model: str) -> None:
        """Raise the reason where calls to `model` have no prospect.

        Raises:
            ProviderError: fatal; the first of its kind, worded as when it happened.
        """
        refusal = self._refused.get("") or self._refused.get(model)
        if refusal is not None:
            raise ProviderError(
                refusal.message, remedy=refusal.remedy, fatal=True, status=refusal.status
            )

    def succeeded(self) -> None:
        """Note an answer, or that a call was one too many: the provider is there.

        A refusal of one request says nothing of the next: it neither counts nor makes good.
        """
        self.in_a_row = 0

    def failed(self, now: float) -> bool:
        """Note a call that failed at `now`; return True where that is one too many."""
        if self.in_a_row == 0:
            self._since = now
        self.in_a_row += 1
        return self.in_a_row >= self.failures and now - self._since >= self.seconds

    def rest(self) -> float:
        """Return the seconds to leave a provider alone that has failed several times in a row."""
        several = self.in_a_row - _SEVERAL
        return 0.0 if several < 0 else min(_LONGEST_REST_S, _FIRST_REST_S * 2.0 ** min(several, 30))

    def open(self, error: ProviderError, *, model: str = "") -> None:
        """Fail every further call, or those to one model, with `error`."""
        self._refused.setdefault(model, error)
