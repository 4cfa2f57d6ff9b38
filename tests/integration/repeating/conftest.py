"""Fixtures of this folder."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.integration.repeating.repeating_projects import Project


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.delenv("RAGATE_DATABASE_URL", raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "answers_of_a_test", raising=False)
    made = Project(tmp_path)
    made.answer()
    return made
