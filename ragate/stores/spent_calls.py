"""What a run spends, kept as it is spent: one that goes on after an interruption has one cap."""

import os
from contextlib import suppress
from pathlib import Path

from ragate.files.foreign_files import file_bytes

SPENT = "spent.log"
_UNKNOWN = "?"  # in place of a price


class SpentCalls:
    """A file beside a run's outputs with a line for every call that is sent, and for its price.

    What other processes of the run may spend is there as soon as it is lent to them, and taken back
    as they return it.
    """

    def __init__(self, folder: Path) -> None:
        self._path = folder / SPENT

    def total(self) -> tuple[int, float]:
        """Return calls and US dollars so far; what no longer reads as a line counts for nothing."""
        calls, cost_usd = 0, 0.0
        for line in self._lines():
            with suppress(ValueError):
                number, price = line.split()
                calls, cost_usd = calls + int(number), cost_usd + float(price)
        return max(0, calls), max(0.0, cost_usd)

    @property
    def unpriced(self) -> int:
        """Return how many answered calls had no known price."""
        return sum(line.split()[1:2] == [_UNKNOWN] for line in self._lines())

    def _lines(self) -> list[str]:
        try:
            return file_bytes(self._path).decode(errors="replace").splitlines()
        except OSError:
            return []

    def keep(self, calls: int, cost_usd: float | None) -> None:
        """Add a line, which a killed process leaves behind.

        What a full disk takes no more is not kept: the outputs say so, and end the run.

        Args:
            cost_usd: None where the price of a call is not known.
        """
        price = _UNKNOWN if cost_usd is None else repr(cost_usd)
        with suppress(OSError):
            file = os.open(self._path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            try:
                os.write(file, f"{calls} {price}\n".encode())
            finally:
                os.close(file)
