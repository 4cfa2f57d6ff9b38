"""The error of a connection that was cut in the middle of a reply."""

from __future__ import annotations

import httpx


class CutOffError(httpx.ReadError):
    """A connection that was cut in the middle of a reply."""
