"""What a run spends, kept as it is spent: one that goes on after an interruption has one cap."""

import os
from contextlib import suppress
from enum import StrEnum
from pathlib import Path

from ragate.support.foreign_files import file_bytes

SPENT = "spent.log"
Spent = tuple[int, float]  # calls, and US dollars


class SpentBy(StrEnum):
    """Whose calls a line counts; a run that workers ask has its budget in their queue.

    Attributes:
        ALONE: Of a process that asked for itself: the queue knows of them what it is told.
        SUBMITTER: Of one that submitted to workers: the queue's budget counts them as well.
        WORKERS: Of its workers: what the queue's budget holds besides, as of the last look.
    """

    ALONE = ""
    SUBMITTER = "submitter"
    WORKERS = "workers"


class SpentCalls:
    """A file beside a run's outputs with a line for every call that is sent, and for its price."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / SPENT

    def total(self, *whose: SpentBy) -> Spent:
        """Return calls and US dollars so far, of all or of some.

        What no longer reads as a line counts for nothing.
        """
        calls, cost_usd = 0, 0.0
        with suppress(OSError):
            for line in file_bytes(self._path).decode(errors="replace").splitlines():
                with suppress(ValueError):
                    number, price, *by = line.split()
                    if SpentBy("".join(by)) in (whose or SpentBy):
                        calls, cost_usd = calls + int(number), cost_usd + float(price)
        return max(0, calls), max(0.0, cost_usd)

    @property
    def was_submitted(self) -> bool:
        """Return whether workers asked of this run, or were to."""
        try:
            return f" {SpentBy.SUBMITTER}".encode() in file_bytes(self._path)
        except OSError:
            return False

    def keep(self, calls: int, cost_usd: float, by: SpentBy = SpentBy.ALONE) -> None:
        """Add a line, which a killed process leaves behind.

        What a full disk takes no more is not kept: the outputs say so, and end the run.
        """
        self._write([(calls, cost_usd, by)])

    def keep_queued(self, calls: int, cost_usd: float) -> None:
        """Note what the queue's budget counts: the submitter's own calls, and so the workers'."""
        own, before = self.total(SpentBy.SUBMITTER), self.total(SpentBy.WORKERS)
        now = max(0, calls - own[0]), max(0.0, cost_usd - own[1])
        if now != before:
            self._write([(now[0] - before[0], now[1] - before[1], SpentBy.WORKERS)])

    def leave_queue(self) -> None:
        """Note that no queue counts any of it: its budget is gone."""
        for by in (SpentBy.SUBMITTER, SpentBy.WORKERS):
            calls, cost_usd = self.total(by)
            if calls or cost_usd:
                self._write([(-calls, -cost_usd, by), (calls, cost_usd, SpentBy.ALONE)])

    def _write(self, lines: list[tuple[int, float, SpentBy]]) -> None:
        text = "".join(f"{calls} {usd!r} {by}".rstrip() + "\n" for calls, usd, by in lines)
        with suppress(OSError):
            file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            try:
                os.write(file, text.encode())
            finally:
                os.close(file)
