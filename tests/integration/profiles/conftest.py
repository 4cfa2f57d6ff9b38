"""Fixtures of this folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.cli.main import run
from tests.integration.profiles.profile_projects import PROFILES
from tests.projects import ReplayProject


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ReplayProject:
    monkeypatch.chdir(tmp_path)
    extra = {
        number: {
            "metadata": {"source": "forum" if number % 4 == 0 else "sme", "complexity": number}
        }
        for number in range(40)
    }
    made = ReplayProject(tmp_path, extra=extra, metrics=PROFILES)
    assert run(["baseline", "update"]) == 0
    return made
