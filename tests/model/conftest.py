from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.servers.llama import Llama, llama


@pytest.fixture(scope="session")
def real_model() -> Iterator[Llama]:
    """One server for all tests of a process, which are asked one after another."""
    with llama() as server:
        yield server
