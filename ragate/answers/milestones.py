"""How far a stage is, as plain lines: for a log, where nothing can be rewritten."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

from ragate.models.progress import Progress

AFTER_S = 10.0
_MEASURED_S = 0.1
FEWEST = 100  # of fewer, only the end is told
TOLD_S = 60.0  # where a stage takes longer, it is told so often


@dataclass
class Pace:
    """How fast each stage goes, measured from what it was first told.

    Attributes:
        clock: Gives seconds.
    """

    clock: Callable[[], float] = time.monotonic
    _began: dict[str, tuple[float, Progress]] = field(default_factory=dict)

    def words(self, progress: Progress) -> list[str]:
        """Return rate, cost and time left, as far as they are known.

        The rate is of what was done, the time left of all that ends: failures take time as well.
        """
        now = self.clock()
        began, first = self._began.setdefault(progress.stage, (now, progress))
        if progress.is_over:  # the next of this name is measured anew
            del self._began[progress.stage]
        elapsed, ended = now - began, progress.done - first.done
        fine = ended - (progress.failed - first.failed)
        # What was there already, or is told at once, measures nothing; nor do failures alone.
        is_measured = fine > 0 and elapsed > _MEASURED_S and not progress.is_clock
        words = [rate_words(fine / elapsed)] if is_measured else []
        words += [f"${progress.cost_usd:,.2f}"] if progress.cost_usd else []
        left = progress.total - progress.done
        return words + (
            [f"{time_words(left * elapsed / ended)} left"] if is_measured and left else []
        )


@dataclass
class Milestones:
    """Says a line at each quarter of a long stage and each minute of a slow one, and at its end.

    Args:
        say: Prints one line.
    """

    say: Callable[[str], None]
    pace: Pace = field(default_factory=Pace)
    _told: dict[str, float] = field(default_factory=dict)

    def show(self, progress: Progress) -> None:
        """Say how far it is, where that is a milestone."""
        total, now = progress.total, self.pace.clock()
        quarters = {total * quarter // 4 for quarter in (1, 2, 3)} if total >= FEWEST else set()
        words = self.pace.words(progress)
        is_due = now - self._told.setdefault(progress.stage, now) >= TOLD_S
        if progress.is_over or progress.done in quarters or is_due:
            self._told[progress.stage] = now
            self.say(f"{progress.stage}: {' · '.join([progress.counted, *words])}")
        if progress.is_over:
            del self._told[progress.stage]


def rate_words(rate: float) -> str:
    """Return a rate above 0 in the unit that shows it: ``120 a second``, ``2.0 a minute``."""
    for seconds, unit in ((1, "second"), (60, "minute")):
        if rate * seconds >= 1:
            return f"{rate * seconds:,.{0 if rate * seconds >= 100 else 1}f} a {unit}"
    return f"{rate * 3600:.1f} an hour"


def time_words(seconds: float) -> str:
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
