"""The engine, the images and a job with a service, once a session."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.container.engine import Engine, find_engine
from tests.container.images import action_image, postgres_image
from tests.container.service import Job, job_with_postgres

SETUP = Path(__file__).parent / "setup_engine.sh"
CANNOT_BE_HAD = 3


@pytest.fixture(scope="session")
def engine() -> Engine:
    """A container engine. Without one: skipped at a desk, set up in CI, where it may not fail."""
    found = find_engine()
    if isinstance(found, str) and os.environ.get("CI"):
        done = subprocess.run([str(SETUP)], capture_output=True, text=True, check=False)
        if done.returncode == CANNOT_BE_HAD:
            pytest.skip(done.stdout.strip().splitlines()[-1])
        assert done.returncode == 0, done.stdout + done.stderr
        found = find_engine()
        assert isinstance(found, Engine), found
    if isinstance(found, str):
        pytest.skip(f"no container engine: {found}")
    return found


@pytest.fixture(scope="session")
def image(engine: Engine) -> str:
    """The action's image, built from this checkout."""
    return action_image(engine)


@pytest.fixture(scope="session")
def job(engine: Engine) -> Iterator[Job]:
    """A job's network with Postgres and pgvector, reached as ``postgres:5432``."""
    with job_with_postgres(engine, postgres_image(engine)) as found:
        yield found
