"""How far a run is, as one line of a terminal that is rewritten."""

import shutil
import time
from collections.abc import Callable
from typing import TextIO

from ragate.runtime.milestones import Pace
from ragate.runtime.operations import Progress

OFTEN = 0.1  # seconds between two drawings
_BAR = 20


class ProgressLine:
    """Draws the stage under way; its end stays as a line.

    What else is printed meanwhile takes the place of the line, which is then drawn anew: the cursor
    waits at its beginning, and `ragate.cli.streams` clears it.
    """

    def __init__(self, stream: TextIO, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream
        self._clock = clock
        self._pace = Pace(clock)
        self._drawn = float("-inf")

    def show(self, progress: Progress) -> None:
        """Draw how far it is, unless that was done a moment ago."""
        text = self._text(progress)
        now, ended = self._clock(), progress.done == progress.total
        if ended or now - self._drawn >= OFTEN:
            self._drawn = now
            self._stream.write(f"\r\x1b[K{text}" + ("\n" if ended else "\r"))
            self._stream.flush()

    def _text(self, progress: Progress) -> str:
        columns = shutil.get_terminal_size().columns
        counted = f"{progress.done:,}/{progress.total:,} {progress.noun}"
        parts = " · ".join([counted, *self._pace.words(progress)])
        filled = _BAR * progress.done // max(progress.total, 1)
        bar = f"[{'#' * filled}{'.' * (_BAR - filled)}] "
        for text in (f"{progress.stage} {bar}{parts}", f"{progress.stage} {parts}"):
            if len(text) < columns:
                return text
        return f"{progress.stage} {counted}"[: max(columns - 1, 0)]
