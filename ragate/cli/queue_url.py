"""Where the queue is, for whoever submits to it and whoever works."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, TypeVar

import click

from ragate.errors import UsageError
from ragate.version import MANUAL

if TYPE_CHECKING:
    from ragate.run.sources import SystemSource
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
            f"{MANUAL}/workers.md",
        )
    require_engine()
    return url


def source(operations: Operations, *, workers: bool, resumed: bool = False) -> SystemSource:
    """Return who is asked: the system under test here, or workers that have it.

    Args:
        resumed: The run goes on, which workers asked before perhaps.

    Raises:
        RagateError: as `queue_url`, or the queue cannot be used.
    """
    from ragate.run.sources import SystemSource

    if resumed and not workers:
        from ragate.pipeline.workers.submit import opens_without_workers

        # What they spent is known there alone.
        find_queue = partial(queue_url, operations, "--resume of a run of workers")
        return SystemSource(opens_without_workers(find_queue))
    if not workers:
        return SystemSource()
    from ragate.pipeline.workers.submit import opens_on_workers
    from ragate.queue.schema import make_schemas

    url = queue_url(operations, "--workers")
    make_schemas(url)
    return SystemSource(opens_on_workers(url))
