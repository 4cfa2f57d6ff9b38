"""A job's network with its Postgres service, as the runner makes them for ``services:``.

A container action on the network reaches the service as ``postgres:5432``: the engine resolves the
alias (aardvark-dns does so for podman). A step that must also reach a server of the test, which
listens on loopback, takes the host's network instead, and ``hosts={"postgres": job.address}``.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tests.container.engine import Engine

URL = "postgresql://ragate:ragate@postgres:5432/ragate"
HEALTHY_S = 60.0


@dataclass(frozen=True)
class Job:
    """The network of a job, and where its Postgres is on it."""

    engine: Engine
    network: str
    container: str
    address: str

    url: str = URL


@contextmanager
def job_with_postgres(engine: Engine, image: str) -> Iterator[Job]:
    """Start the service on a network of its own; both are gone afterwards."""
    name = f"ragate-job-{uuid.uuid4().hex[:8]}"
    container = f"{name}-postgres"
    engine.call("network", "create", name)
    try:
        engine.call(
            # The image's health check is run by `_wait`: podman leaves it to systemd.
            *("run", "--detach", "--rm", "--name", container, "--no-healthcheck"),
            *("--network", name, "--network-alias", "postgres", image),
        )
        _wait(engine, container)
        yield Job(engine, name, container, _address(engine, container, name))
    finally:
        engine.remove(container)
        engine.call("network", "rm", name, check=False)


def _wait(engine: Engine, container: str) -> None:
    """Wait until the service answers; the runner waits for the health check in the same way."""
    ready = (
        "exec",
        container,
        "pg_isready",
        "--quiet",
        "--host",
        "127.0.0.1",
        "--dbname",
        "ragate",
    )
    end = time.monotonic() + HEALTHY_S
    while time.monotonic() < end:
        if engine.succeeds(*ready):
            return
        time.sleep(0.2)
    log = engine.call("logs", container, check=False)
    raise TimeoutError(f"Postgres was not ready after {HEALTHY_S:.0f} s:\n{log}")


def _address(engine: Engine, container: str, network: str) -> str:
    template = f'{{{{(index .NetworkSettings.Networks "{network}").IPAddress}}}}'
    return engine.call("inspect", "--format", template, container)
