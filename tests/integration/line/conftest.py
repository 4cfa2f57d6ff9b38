"""Fixtures of this folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.cli.main import run
from tests.projects import ReplayProject, right


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ReplayProject:
    monkeypatch.delenv("RAGATE_DATABASE_URL", raising=False)
    monkeypatch.chdir(tmp_path)
    return ReplayProject(tmp_path)


@pytest.fixture
def gated(project: ReplayProject) -> ReplayProject:
    """A project with a baseline of three runs, and one run of the candidate."""
    assert run(["baseline", "update"]) == 0
    project.record(right)
    return project
