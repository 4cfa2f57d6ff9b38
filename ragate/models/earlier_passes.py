"""What earlier runs of the very commit measured."""

from typing import Literal

from ragate.models.base import Frozen
from ragate.models.run import EarlierRun


class EarlierFigure(Frozen):
    """One metric's means by whose passes they are of, in its own unit.

    Attributes:
        newest, earlier, pooled: Over the newest run, the earlier ones, and all passes together.
        p: Adjusted p of all passes against the baseline; None where they were not tested together.
    """

    metric: str
    newest: float | None = None
    earlier: float | None = None
    pooled: float | None = None
    p: float | None = None


class EarlierPasses(Frozen):
    """Passes that earlier runs of this very commit made, and what they are good for.

    Attributes:
        runs: When they ran and how they ended, oldest first.
        use: ``counted``: in every figure, since what the system reads is proven the same.
            ``shown``: beside the newest run, which decides alone. ``differ``: they do not look like
            the newest run, and are not used. ``agree``: tested together with a suspicious newest
            run, and not red. ``confirm``: red together with it.
        p_differ: How often an unchanged system would differ as much from its earlier passes, the
            smaller of both directions; None where that was not asked.
        note: The same in one sentence.
    """

    runs: tuple[EarlierRun, ...]
    use: Literal["counted", "shown", "differ", "agree", "confirm"]
    p_differ: float | None = None
    metrics: tuple[EarlierFigure, ...] = ()
    note: str = ""
