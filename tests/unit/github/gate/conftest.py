"""Fixtures of this folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.config import Config
from tests.unit.github.gate.gate_factories import project


@pytest.fixture
def base(tmp_path: Path) -> Config:
    return project(tmp_path / "base")
