"""How far one stage of a run is: told as often as something ends, shown by who prints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

CLOCK = "s"  # what is counted where nothing but time passes


@dataclass(frozen=True)
class Progress:
    """How far one stage of a run is.

    Attributes:
        stage: What is done: ``run 2``, ``judging``.
        done: Those that ended. failed: those of them that did in vain.
        noun: What is counted, in the plural; `CLOCK` for the seconds of a wait, of at most `total`.
        cost_usd: What the run has spent on models so far, as far as prices are known.
    """

    stage: str
    done: int
    total: int
    noun: str = "samples"
    cost_usd: float = 0.0
    failed: int = 0

    @property
    def counted(self) -> str:
        """Return ``36/120 judgements · 84 failed``."""
        counted = f"{self.done - self.failed:,}/{self.total:,} {self.noun}"
        return f"{counted} · {self.failed:,} failed" if self.failed else counted

    @property
    def is_over(self) -> bool:
        """Whether all have ended."""
        return self.done >= self.total

    @property
    def is_clock(self) -> bool:
        """Whether seconds are counted, which have no pace."""
        return self.noun == CLOCK


Show = Callable[[Progress], None]


def unshown(_progress: Progress) -> None:
    """Show nothing."""
