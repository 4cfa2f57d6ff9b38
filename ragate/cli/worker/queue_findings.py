"""What the doctor says of the queue, where there is one."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ragate.cli.finding import Finding, ok, plural, problem

if TYPE_CHECKING:
    from ragate.queue.health import QueueFacts
    from ragate.runtime.operations import Operations

CHECK = "queue"


def queue(operations: Operations) -> Iterable[Finding]:
    """Say whether runs can be submitted to the queue, or served from it, with this role.

    Raises:
        RagateError: the extra is not installed, or the queue cannot be used.
    """
    from ragate.queue.health import inspect_queue
    from ragate.queue.schema import VARIABLE, require_engine
    from ragate.queue.serving_role import VARIABLE as ROLE
    from ragate.queue.serving_role import chosen_role

    url = operations.environment.get(VARIABLE, "")
    if not url:
        return []
    require_engine()
    facts = inspect_queue(url)
    if facts.may_submit:
        chosen_role(facts.serving, operations.environment.get(ROLE, ""))
    return [_server(facts) if not facts.made else _role(facts)]


def _server(facts: QueueFacts) -> Finding:
    """Say whether the schemas can be made, which are not there."""
    from ragate.queue.health import LEAST_POSTGRES

    server = f"PostgreSQL {facts.postgres}"
    if facts.major < LEAST_POSTGRES:
        newer = f"use PostgreSQL {LEAST_POSTGRES} or newer"
        return problem(CHECK, f"{server} is too old", newer, exit_code=3)
    if facts.may_make:
        return ok(CHECK, f"{server}; the first run with --workers makes the schemas")
    return problem(
        CHECK,
        f"{server}; the schemas are not there, and the role {facts.role!r} may not make any",
        "`ragate db migrate`, with a role that may create schemas",
        exit_code=3,
    )


def _role(facts: QueueFacts) -> Finding:
    rights = {"submit": facts.may_submit, "serve": facts.may_work}
    may = " and ".join(name for name, has in rights.items() if has)
    if not may:
        return problem(
            CHECK,
            f"the role {facts.role!r} may neither submit runs nor serve them",
            f"`ragate db roles --worker {facts.role} --apply`, or --submitter, as their owner",
            exit_code=3,
        )
    up = f"{plural(facts.up, 'worker')} up, of any checkout"
    return ok(CHECK, f"PostgreSQL {facts.postgres}; the role {facts.role!r} may {may} runs; {up}")
