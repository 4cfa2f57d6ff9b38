"""Fixtures of this folder."""

from __future__ import annotations

import shutil
import sys
from contextlib import chdir
from pathlib import Path

import pytest

from ragate.cli.main import run
from tests.integration.repeating.repeating_projects import Project


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.delenv("RAGATE_DATABASE_URL", raising=False)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delitem(sys.modules, "answers_of_a_test", raising=False)
    made = Project(tmp_path)
    made.answer()
    return made


@pytest.fixture(scope="session")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project that is recorded, with its baseline, to be copied."""
    made = Project(tmp_path_factory.mktemp("repeating"))
    made.answer()
    made.configure()
    with chdir(made.root):
        assert run(["baseline", "update"]) == 0
    made.asked()
    return made.root


@pytest.fixture
def declared(project: Project, recording: Path) -> Project:
    """The project, recorded."""
    shutil.copytree(recording, project.root, dirs_exist_ok=True)
    return project
