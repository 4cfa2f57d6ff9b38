"""Golden sets that other tools wrote, brought into ours. One module a tool."""

from ragate.dataset._importers._common import Imported, Notes
from ragate.dataset._importers._resolve import PlacementCounts, Resolver
from ragate.dataset._importers._sources import KINDS, read_foreign
from ragate.dataset._importers._table import looks_like_questions

__all__ = [
    "KINDS",
    "Imported",
    "Notes",
    "PlacementCounts",
    "Resolver",
    "looks_like_questions",
    "read_foreign",
]
