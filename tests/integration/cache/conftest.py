"""Fixtures of this folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.cache import CACHE_NAME


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / CACHE_NAME
