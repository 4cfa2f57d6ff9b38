"""Fixtures of this folder."""

from __future__ import annotations

import shutil
from contextlib import chdir
from pathlib import Path

import pytest

from ragate.cli.main import run
from tests.projects import ReplayProject, right


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ReplayProject:
    monkeypatch.delenv("RAGATE_DATABASE_URL", raising=False)
    monkeypatch.chdir(tmp_path)
    return ReplayProject(tmp_path)


@pytest.fixture(scope="session")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with a baseline of three runs, to be copied."""
    made = ReplayProject(tmp_path_factory.mktemp("recording"))
    with chdir(made.root):
        assert run(["baseline", "update"]) == 0
    return made.root


@pytest.fixture
def gated(project: ReplayProject, recording: Path) -> ReplayProject:
    """A project with that baseline, and one run of the candidate."""
    shutil.copytree(recording, project.root, dirs_exist_ok=True)
    project.record(right)
    return project
