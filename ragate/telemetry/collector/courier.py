"""The one thread that sends: what waits, from time to time and when there is much of it."""

import threading
import time
from collections import deque
from collections.abc import Sequence
from contextlib import suppress
from typing import Protocol


class Sending(Protocol):
    """What has something to send now and then."""

    def send(self, *, everything: bool) -> None:
        """Send what waits; without `everything` only what is worth a request."""
        ...


THREAD = "ragate-telemetry"


class Courier:
    """Lets others send, in a thread of its own, which ends with the process at the latest.

    Args:
        every_s: Seconds after which all that waits is sent.
    """

    def __init__(self, every_s: float) -> None:
        self._every_s = every_s
        self._parts: Sequence[Sending] = ()
        self._awake = threading.Event()
        self._asked: deque[threading.Event] = deque()
        self._is_over = False
        self._is_done = False
        self._thread = threading.Thread(target=self._run, name=THREAD, daemon=True)

    def start(self, parts: Sequence[Sending]) -> None:
        """Begin to let these send; without a thread to be had none does, as `stop` says."""
        self._parts = parts
        with suppress(RuntimeError):
            self._thread.start()

    def wake(self) -> None:
        """Let those send that have enough for a request."""
        self._awake.set()

    def flush(self, seconds: float) -> bool:
        """Let all send all that waits; return whether that was done in time."""
        if not self._thread.is_alive():
            return False
        done = threading.Event()
        self._asked.append(done)
        self._awake.set()
        return done.wait(seconds)

    def stop(self, seconds: float) -> bool:
        """Let all send all that waits, and end; return whether that was done in time."""
        self._is_over = True
        self._awake.set()
        if self._thread.is_alive():
            self._thread.join(seconds)
        return self._is_done

    def _run(self) -> None:
        due = time.monotonic() + self._every_s
        while not self._is_over:
            self._awake.wait(max(0.0, due - time.monotonic()))
            if self._is_over:
                break
            self._awake.clear()
            asked = [self._asked.popleft() for _ in range(len(self._asked))]
            everything = bool(asked) or time.monotonic() >= due
            self._send(everything=everything)
            for done in asked:
                done.set()
            if everything:
                due = time.monotonic() + self._every_s
        self._send(everything=True)
        self._is_done = True

    def _send(self, *, everything: bool) -> None:
        for part in self._parts:
            part.send(everything=everything)
