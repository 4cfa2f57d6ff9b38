"""When a call is made again: GitHub's own rules for limits, and little patience for the rest."""

import random
import time
from collections.abc import Callable

from ragate.github.rest.http_call import HttpAnswer

TRIES = 4
# Together, for all calls of one client: a secondary limit asks for a minute, then for more.
PATIENCE_S = 300.0
# Where a limit does not say how long: GitHub asks for a minute at least, longer each time.
# https://docs.github.com/rest/using-the-rest-api/best-practices-for-using-the-rest-api
UNSAID_S = 60.0
_PASSING = frozenset({502, 503, 504})
_LIMITS = ("secondary rate limit", "abuse detection")


class Patience:
    """How long one client has waited, and how long it still may.

    A call is repeated when it was turned down for its rate, or when it may have failed in passing
    and doing it twice does no harm.
    """

    def __init__(
        self,
        *,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.time,
        say: Callable[[str], None] = lambda _line: None,
    ) -> None:
        self._sleep, self._clock, self._say = sleep, clock, say
        self._left_s = PATIENCE_S
        self._failed = 0  # calls of `single`, in a row

    def answer(self, once: Callable[[], HttpAnswer], *, repeatable: bool = True) -> HttpAnswer:
        """Return the answer of `once`, called again where waiting may help."""
        answer = once()
        for count in range(1, TRIES):
            if not self._waited(answer, count, repeatable=repeatable):
                break
            answer = once()
        return answer

    def single(self, once: Callable[[], HttpAnswer]) -> tuple[HttpAnswer, bool]:
        """Return the answer of one call, and whether its caller may make it anew.

        For what grows old while it waits. The wait is over when this returns.
        """
        answer = once()
        if answer.status // 100 == 2:
            self._failed = 0
            return answer, False
        self._failed += 1
        return answer, self._failed < TRIES and self._waited(answer, self._failed)

    def _waited(self, answer: HttpAnswer, count: int, *, repeatable: bool = True) -> bool:
        wait = self._wait(answer, count, repeatable=repeatable)
        if wait is None or wait > self._left_s:
            return False
        if wait >= 10:
            self._say(f"GitHub limits the rate of calls: waiting for {wait:.0f} s")
        self._left_s -= wait
        self._sleep(wait)
        return True

    def _wait(self, answer: HttpAnswer, count: int, *, repeatable: bool) -> float | None:
        """Return the seconds before the next try, None where there is none."""
        limited = limited_until(answer, self._clock(), count)
        if limited is not None:
            return limited + random.uniform(0.0, 1.0)  # noqa: S311
        passing = answer.status in _PASSING or answer.status == 0
        if passing and (repeatable or not answer.sent):
            return random.uniform(0.5, 1.0) * 2.0 ** (count - 1)  # noqa: S311
        return None


def limited_until(answer: HttpAnswer, time_s: float, count: int = 1) -> float | None:
    """Return the seconds for which the API wants no more calls, None where it does not say so.

    Args:
        time_s: The time now, in seconds since 1970.
        count: So many calls were turned down in a row.

    Source:
        "Handle rate limit errors appropriately" in GitHub's best practices for the REST API.
    """
    if answer.status not in (403, 429):
        return None
    after = answer.headers.get("retry-after", "")
    if after.isdecimal():
        return float(after[:9])
    reset = answer.headers.get("x-ratelimit-reset", "")
    if answer.headers.get("x-ratelimit-remaining") == "0" and reset.isdecimal():
        return max(0.0, float(reset[:12]) - time_s)
    message = answer.message().lower()
    if answer.status == 429 or any(words in message for words in _LIMITS):
        return UNSAID_S * 2.0 ** (count - 1)
    return None
