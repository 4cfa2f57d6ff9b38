"""Fixtures of this folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.integration.rejudge.rejudged_projects import SAMPLES, Gate
from tests.servers.model import answers_and_judges
from tests.servers.openai_server import FakeOpenAI, openai_server


@pytest.fixture
def server() -> Iterator[FakeOpenAI]:
    with openai_server() as fake:
        fake.reply = answers_and_judges()
        yield fake


@pytest.fixture
def gate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Gate:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TEST_KEY", "sk-canary-0123456789abcdef")
    return Gate(tmp_path, samples=SAMPLES)
