"""Fixtures of this folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.contrib.golden.drafts.draft_projects import PROVIDER, answer
from tests.projects import write_docs_project
from tests.servers.openai_server import FakeOpenAI


@pytest.fixture
def project(
    tmp_path: Path, server: FakeOpenAI, monkeypatch: pytest.MonkeyPatch, served: None
) -> Path:
    monkeypatch.chdir(tmp_path)
    server.reply = answer
    write_docs_project(tmp_path)
    config = tmp_path / "ragate.toml"
    config.write_text(config.read_text() + PROVIDER.format(url=server.base_url))
    return tmp_path
