"""Fixtures of this folder."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.contrib.recorder.recorded_projects import record
from tests.contrib.recorder.recorders import Bench
from tests.integration.recorded_project import RecordedProject
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


@pytest.fixture(scope="session")
def recording(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project whose baseline has been recorded in three passes, to be copied."""
    with openai_server() as fake:
        fake.reply = never_the_same()
        project = RecordedProject(tmp_path_factory.mktemp("recording"), fake.base_url)
        record(project)
    return project.root


@pytest.fixture
def recorded(project: RecordedProject, recording: Path) -> RecordedProject:
    """A project that has been recorded, by another server than the one it will ask."""
    shutil.copytree(recording, project.root, dirs_exist_ok=True)
    project.configure()
    return project
