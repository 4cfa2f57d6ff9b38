"""Fixtures of this folder."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.projects import ReplayProject, right


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ReplayProject:
    monkeypatch.delenv("RAGATE_DATABASE_URL", raising=False)
    monkeypatch.chdir(tmp_path)
    return ReplayProject(tmp_path)


@pytest.fixture
def gated(project: ReplayProject, recording: Path) -> ReplayProject:
    """A project with that baseline, and one run of the candidate."""
    shutil.copytree(recording, project.root, dirs_exist_ok=True)
    project.record(right)
    return project
