"""A project in a repository; a forge, and a browser."""

from pathlib import Path

import pytest

from tests.browser.conftest import browser  # noqa: F401
from tests.e2e.action.conftest import first_commit, forge, gated  # noqa: F401
from tests.repositories import git


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    git(tmp_path, "init", "-q", "-b", "main")
    (tmp_path / "ragate.toml").write_text(
        '[policy]\ndataset = "g.jsonl"\nbaseline = "b.json"\nsystems = ["replay"]\n'
        '[policy.metrics.mrr]\n[system]\nuse = "replay"\npath = "o.jsonl"\n'
    )
    return tmp_path
