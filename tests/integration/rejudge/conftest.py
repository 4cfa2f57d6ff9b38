"""Fixtures of this folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.rejudge.rejudged_projects import SAMPLES, Gate
from tests.servers.model import answers_and_judges
from tests.servers.openai_server import FakeOpenAI


@pytest.fixture
def gate(tmp_path: Path, server: FakeOpenAI, monkeypatch: pytest.MonkeyPatch) -> Gate:
    monkeypatch.chdir(tmp_path)
    server.reply = answers_and_judges()
    monkeypatch.setenv("TEST_KEY", "sk-canary-0123456789abcdef")
    return Gate(tmp_path, samples=SAMPLES)
