"""Where the queue is, for whoever submits to it and whoever works."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import click

from ragate.errors import UsageError

if TYPE_CHECKING:
    from ragate.pipeline.run.opened_system import OpensSystem
    from ragate.runtime.operations import Operations

F = TypeVar("F", bound=Callable[..., object])


def workers_option(command: F) -> F:
    """Add ``--workers``."""
    return click.option(
        "--workers", is_flag=True, help="Let `ragate worker` processes ask the questions."
    )(command)


def queue_url(operations: Operations, asked: str) -> str:
    """Return the connection string of the queue; its library is there.

    Args:
        asked: What needs it.

    Raises:
        UsageError: the variable is not set.
        NotInstalledError: the extra is not installed.
    """
    from ragate.queue.schema import VARIABLE, require_engine

    url = operations.environment.get(VARIABLE, "")
    if not url:
        raise UsageError(
            f"{asked}: {VARIABLE} is not set",
            remedy="set it to a Postgres that this machine and the workers reach: "
            "docs/worker-tools.md",
        )
    require_engine()
    return url


def opens(operations: Operations, *, workers: bool, resumed: bool = False) -> OpensSystem:
    """Return what opens the system under test: here, or on workers.

    Args:
        resumed: The run goes on, which workers asked before perhaps.

    Raises:
        RagateError: as `queue_url`, or the queue cannot be used.
    """
    if resumed and not workers:
        from ragate.pipeline.workers.gone_on_alone import opens_without_workers

        # What they spent is known there alone.
        return opens_without_workers(lambda: queue_url(operations, "--resume of a run of workers"))
    if not workers:
        from ragate.pipeline.run.opened_system import open_here

        return open_here
    from ragate.pipeline.workers.submit import opens_on_workers
    from ragate.queue.schema import make_schemas

    url = queue_url(operations, "--workers")
    make_schemas(url)
    return opens_on_workers(url)
