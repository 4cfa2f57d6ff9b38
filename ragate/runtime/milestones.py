"""How far a stage is, as plain lines: for a log, where nothing can be rewritten."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from ragate.runtime.operations import Progress

AFTER_S = 10.0
_MEASURED_S = 0.1
FEWEST = 100  # of fewer, only the end is told


@dataclass
class Pace:
    """How fast each stage goes, measured from what it was first told.

    Attributes:
        clock: Gives seconds.
    """

    clock: Callable[[], float] = time.monotonic
    _stage: str = ""
    _began: float = 0.0
    _first: int = 0

    def words(self, progress: Progress) -> list[str]:
        """Return rate, cost and time left, as far as they are known."""
        now = self.clock()
        if progress.stage != self._stage:
            self._stage, self._began, self._first = progress.stage, now, progress.done
        elapsed, done = now - self._began, progress.done - self._first
        # What was there already, or is told at once, measures nothing.
        rate = done / elapsed if done and elapsed > _MEASURED_S else 0.0
        words = [f"{rate:,.1f} a second" if rate < 100 else f"{rate:,.0f} a second"] if rate else []
        words += [f"${progress.cost_usd:,.2f}"] if progress.cost_usd else []
        left = progress.total - progress.done
        return words + ([f"{_rounded(left / rate)} left"] if rate and left else [])


@dataclass
class Milestones:
    """Says a line at each quarter of a long stage, and at its end.

    Args:
        say: Prints one line.
    """

    say: Callable[[str], None]
    pace: Pace = field(default_factory=Pace)

    def show(self, progress: Progress) -> None:
        """Say how far it is, where that is a milestone."""
        total = progress.total
        quarters = {total * quarter // 4 for quarter in (1, 2, 3)} if total >= FEWEST else set()
        words = self.pace.words(progress)
        if progress.done == total or progress.done in quarters:
            self.say(f"{progress.stage}: {' · '.join([progress.counted, *words])}")


def _rounded(seconds: float) -> str:
    """Return a time that nobody takes for exact: ``24 s``, ``3 min``, ``1.5 h``."""
    if seconds < 60:
        return f"{max(1, round(seconds))} s"
    if seconds < 3600:
        return f"{round(seconds / 60)} min"
    return f"{seconds / 3600:.1f} h"


# A line about what takes long, so that nobody takes it for hanging.


@contextmanager
def told_if_slow(
    say: Callable[[str], None], what: str, *, after_s: float = AFTER_S
) -> Iterator[None]:
    """Say once, `after_s` seconds from now, that `what` is still going on.

    A thread tells, since an import holds the event loop.
    """
    timer = threading.Timer(after_s, say, [f"{what}: {after_s:g} s so far, still waiting"])
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
