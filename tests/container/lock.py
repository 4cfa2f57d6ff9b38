"""Reads a hash-locked requirements file."""

from __future__ import annotations

import re
from pathlib import Path

from packaging.utils import canonicalize_name

_ENTRY = re.compile(r"^([A-Za-z0-9._-]+)==([^\s;\\]+)", re.MULTILINE)


def locked(path: Path) -> dict[str, str]:
    """Return each distribution of a lock with its version."""
    return {canonicalize_name(name): version for name, version in _ENTRY.findall(path.read_text())}
