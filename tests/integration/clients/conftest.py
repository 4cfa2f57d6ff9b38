"""Fixtures of this folder."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.servers.openai_server import FakeOpenAI, openai_server


@pytest.fixture
def server() -> Iterator[FakeOpenAI]:
    with openai_server() as fake:
        yield fake
