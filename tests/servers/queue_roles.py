"""A queue with its roles: an owner, a submitter, workers for main and for pull requests."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg.conninfo import make_conninfo

from ragate.database.roles_sql import OURS, roles_sql
from ragate.queue.schema import make_schemas
from tests.servers.queue import fresh_queue

MAIN, PULL, SUBMITTER = "ragate_test_main", "ragate_test_pull", "ragate_test_submitter"
PASSWORD = "of-these-tests"


@contextmanager
def queue_with_roles(server: str) -> Iterator[str]:
    """Yield a connection string to a queue with roles, as a superuser; roles go at the end."""
    with fresh_queue(server) as queue:
        make_schemas(queue)
        with psycopg.connect(queue, autocommit=True) as connection:
            connection.execute(roles_sql((MAIN, PULL), (SUBMITTER,)).encode())
            for name in (MAIN, PULL, SUBMITTER):
                connection.execute(f"ALTER ROLE {name} PASSWORD '{PASSWORD}'".encode())
        yield queue
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f"DROP ROLE {', '.join((MAIN, PULL, SUBMITTER, *OURS))}".encode())


def logged_in(queue: str, role: str) -> str:
    """Return the connection string with which a role comes."""
    return make_conninfo(queue, user=role, password=PASSWORD)
