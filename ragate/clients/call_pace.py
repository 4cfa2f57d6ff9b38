"""How many calls a minute a provider may get: each call has a time of its own."""

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class CallPace:
    """Times for the calls of one process to one provider, evenly apart, never more than allowed.

    Attributes:
        per_minute: Calls, above 0.
        clock: Gives seconds.
    """

    per_minute: float
    clock: Callable[[], float] = time.monotonic
    _free: float = field(default=float("-inf"), repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def book(self) -> float:
        """Return the seconds until the next free time, which is taken now."""
        with self._lock:
            now = self.clock()
            turn = max(now, self._free)
            self._free = turn + 60.0 / self.per_minute
            return turn - now
