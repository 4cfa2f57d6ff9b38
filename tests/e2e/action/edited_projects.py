"""Pull requests that were retargeted or renamed."""

from __future__ import annotations

from tests.e2e.action.forge import Files


def lenient(gated: dict[str, bytes]) -> Files:
    """Return a policy that lets everything through."""
    text = gated["ragate.toml"]
    rule = b'level = "error"\nmax_drop = 0.99\nminimum = 0.0'
    return {"ragate.toml": text.replace(b'level = "error"', rule)}
