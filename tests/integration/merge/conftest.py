"""A repository with the merge driver installed."""

from __future__ import annotations

from pathlib import Path

import pytest

from ragate.cli.main import run
from tests.integration.merge.branches import Repository


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    root = tmp_path / "a project"
    root.mkdir()
    monkeypatch.chdir(root)
    repository = Repository(root)
    repository.begin()
    return repository


@pytest.fixture
def clone(bare: Repository) -> Repository:
    assert run(["baseline", "merge", "--install"]) == 0
    bare.git("add", "-A")
    bare.git("commit", "-q", "-m", "driver")
    return bare
