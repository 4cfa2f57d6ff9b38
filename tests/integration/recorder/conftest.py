"""Fixtures of this folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.integration.recorded_project import RecordedProject
from tests.integration.recorder.recorders import Bench
from tests.servers.openai_server import FakeOpenAI, never_the_same, openai_server


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    with openai_server() as provider, ExitStack() as stack:
        provider.reply = never_the_same()
        yield Bench(provider, tmp_path, stack)


@pytest.fixture
def project(tmp_path: Path, server: FakeOpenAI) -> RecordedProject:
    server.reply = never_the_same()
    return RecordedProject(tmp_path, server.base_url)
