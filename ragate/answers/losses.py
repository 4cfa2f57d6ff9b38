"""What a run loses: once it is more than the policy allows, however it goes on, the run ends."""

import math
import time
from collections import Counter
from collections.abc import Callable, Collection
from dataclasses import dataclass, field

from ragate.core.judging.applicability import ran_out_of_time
from ragate.errors import HopelessError
from ragate.guards.escape import one_line

_CAUSES = 3
_LONGEST = 300  # characters of a cause


@dataclass(frozen=True)
class TimeSettings:
    """The settings that say how many are asked at once, and how long each may take.

    Attributes:
        words: How both are set, as ``RAGATE_CONCURRENCY={} RAGATE_TIMEOUT_S={}``.
        share: Of the time, what one call may take.
    """

    concurrency: int
    timeout_s: float
    words: str
    share: float = 1.0


@dataclass
class Losses:
    """What was asked in vain, and how long the others took.

    Attributes:
        noun: What is asked, in the plural. n: how many there are in one pass.
        whole: How many a pass has, where these are a part of it; else 0.
        share: Of all passes, what may be lost.
        passes: Those that are going to be made; more may be added.
        any_failure: What the system itself failed at counts as well.
        about: What of an answer has to be there; empty for all of it.
        lost: By name, why there is no answer.
    """

    noun: str
    n: int
    share: float
    settings: TimeSettings
    passes: int = 1
    any_failure: bool = False
    about: Collection[str] = ()
    whole: int = 0
    clock: Callable[[], float] = time.monotonic
    lost: dict[str, str] = field(default_factory=dict)
    answered: int = 0
    slowest_s: float = 0.0
    _parts: dict[str, set[str]] = field(default_factory=dict)
    _began: float | None = None

    @property
    def of(self) -> int:
        """How many are asked in all passes."""
        return (self.whole or self.n) * self.passes

    @property
    def most(self) -> int:
        """How many of them may be lost."""
        return math.floor(self.share * self.of + 1e-9)

    def began(self) -> None:
        """Note that something is asked."""
        if self._began is None:
            self._began = self.clock()

    def found(self, name: str, seconds: float) -> None:
        """Note an answer; what was lost before no longer is."""
        self.recovered(name)
        self.answered_in(seconds)

    def recovered(self, name: str) -> None:
        """Note that what was lost no longer is."""
        self.lost.pop(name, None)
        for names in self._parts.values():
            names.discard(name)

    def answered_in(self, seconds: float) -> None:
        """Note how long an answer took."""
        self.answered += 1
        self.slowest_s = max(self.slowest_s, seconds)

    def lose(self, name: str, reason: str, parts: Collection[str] = ("",)) -> None:
        """Note that there is none.

        Args:
            parts: What of the answer is not there; each may be lost so often.

        Raises:
            HopelessError: nothing can come of the run any more.
        """
        counted = [part for part in parts if not self.about or part in self.about]
        if not counted:
            return
        self.lost[name] = one_line(reason, _LONGEST)
        for part in counted:
            self._parts.setdefault(part, set()).add(name)
        if max(map(len, self._parts.values())) > self.most:
            raise self._hopeless()

    def _hopeless(self) -> HopelessError:
        counted = f"{len(self.lost):,} of {self.of:,} {self.noun} failed"
        causes = Counter(self.lost.values())
        lines = [f"{count} × {cause}" for cause, count in list(causes.items())[:_CAUSES]]
        if len(causes) > _CAUSES:
            lines.append(f"and {len(causes) - _CAUSES} other causes")
        allowed = f"at most {self.most:,} may: the run ends here, and asks nothing more"
        told = "\n  ".join([f"{counted}, and {allowed}", *lines])
        return HopelessError(told, remedy=self._remedy)

    @property
    def _remedy(self) -> str:
        at_once, limit = self.settings.concurrency, self.settings.timeout_s
        if not any(map(ran_out_of_time, self.lost.values())):
            mend = "mend what fails, then run again: what was answered is not paid for twice"
            if not self.answered or at_once == 1:
                return mend
            one_at_a_time = self.settings.words.format(1, f"{limit:g}")
            return f"{mend}; if it cannot take {at_once} at once: {one_at_a_time}"
        if not self.answered or self._began is None:
            seen = f"nothing was answered within {limit:g} s, with {at_once} at once"
            need = 2 * limit
        else:
            elapsed = self.clock() - self._began
            each = elapsed / self.answered
            seen = (
                f"{self.answered:,} were answered in {elapsed:,.0f} s, the slowest in "
                f"{self.slowest_s:.3g} s, with {at_once} at once"
            )
            need = max(limit, 2 * each / self.settings.share)
        values = self.settings.words.format(1, math.ceil(need))
        return f"{seen}: ask one at a time and wait longer, {values} or more"
