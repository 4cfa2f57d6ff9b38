"""Fixtures of this folder."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from tests.integration.repeating.repeating_projects import Project
from tests.projects import ReplayProject, right


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.delenv("RAGATE_DATABASE_URL", raising=False)
    monkeypatch.delenv("JOB_COMPLETION_INDEX", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def gated(here: Path, recording: Path) -> ReplayProject:
    """A project with a baseline of three runs, and one run of the candidate."""
    shutil.copytree(recording, here, dirs_exist_ok=True)
    project = ReplayProject(here)
    project.record(right)
    return project


@pytest.fixture
def living(here: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project whose system is asked, and repeats."""
    monkeypatch.delitem(sys.modules, "answers_of_a_test", raising=False)
    project = Project(here)
    project.answer()
    project.configure()
    return project
