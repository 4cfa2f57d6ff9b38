"""The first names of a list on one line."""

from collections.abc import Sequence


def listed(names: Sequence[str], most: int = 5) -> str:
    """Join the first names; the others are counted."""
    shown = ", ".join(names[:most])
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"
