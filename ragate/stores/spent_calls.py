"""What a run spends, kept as it is spent: one that goes on after an interruption has one cap."""

import os
from contextlib import suppress
from pathlib import Path

SPENT = "spent.log"


class SpentCalls:
    """A file beside a run's outputs with a line for every call that is sent, and for its price."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / SPENT

    def total(self) -> tuple[int, float]:
        """Return calls and US dollars so far; what no longer reads as a line counts for nothing."""
        calls, cost_usd = 0, 0.0
        with suppress(OSError):
            for line in self._path.read_bytes().splitlines():
                with suppress(ValueError):
                    number, price = line.split()
                    calls, cost_usd = calls + int(number), cost_usd + float(price)
        return max(0, calls), max(0.0, cost_usd)

    def keep(self, calls: int, cost_usd: float) -> None:
        """Add a line, which a killed process leaves behind.

        What a full disk takes no more is not kept: the outputs say so, and end the run.
        """
        with suppress(OSError):
            file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            try:
                os.write(file, f"{calls} {cost_usd!r}\n".encode())
            finally:
                os.close(file)
