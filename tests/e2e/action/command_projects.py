"""Pull requests on which somebody writes a command."""

from __future__ import annotations

from tests.e2e.action.forge import Change

BROKEN = range(12)


def accept(change: Change, metrics: str = "hit_rate@5 token_f1") -> str:
    return f'/ragate accept {change.head[:7]} {metrics} "the pages were merged"'
