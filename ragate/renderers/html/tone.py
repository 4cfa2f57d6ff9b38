"""How a metric's row feels: the name of a colour that table and chart share."""

from ragate.models import MetricRow, MetricVerdict
from ragate.renderers._words import below_floor, wants_a_look


def tone(row: MetricRow) -> str:
    """Return ``bad`` where it blocks, ``look`` where it asks for one, ``good`` or ``calm``."""
    if row.blocks:
        return "bad"
    if wants_a_look(row) or below_floor(row):
        return "look"
    return "good" if row.verdict is MetricVerdict.IMPROVED else "calm"
