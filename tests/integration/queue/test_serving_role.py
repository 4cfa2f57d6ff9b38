"""Whose workers may serve a plan."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import psycopg
import pytest

from ragate.errors import DatabaseError, UsageError
from ragate.queue.engine import open_queue
from ragate.queue.serving_role import own_role, serving_role
from ragate.queue.submission import Submission
from tests.servers.queue_roles import MAIN, PULL, SUBMITTER, logged_in

pytestmark = pytest.mark.integration


def chosen(url: str, named: str, say: Callable[[str], None] = print) -> str:
    async def main() -> str:
        async with open_queue(url, say=say) as queue:
            return await serving_role(queue, named)

    return asyncio.run(main())


def test_a_role_that_is_named_serves(queue: str) -> None:
    assert chosen(logged_in(queue, SUBMITTER), PULL) == PULL


def test_what_a_role_of_workers_has_set_for_itself_is_named(queue: str) -> None:
    said: list[str] = []
    with psycopg.connect(logged_in(queue, PULL), autocommit=True) as worker:
        worker.execute(f"ALTER ROLE {PULL} SET statement_timeout = '1ms'".encode())
        worker.execute(f"ALTER ROLE {PULL} SET application_name = E'\\n##[error]'".encode())

    chosen(logged_in(queue, SUBMITTER), PULL, said.append)
    with psycopg.connect(queue, autocommit=True) as admin:
        for name in ("statement_timeout", "application_name"):
            admin.execute(f"ALTER ROLE {PULL} RESET {name}".encode())
    chosen(logged_in(queue, SUBMITTER), PULL, said.append)

    assert len(said) == 2
    assert f"the role {PULL} of workers begins its sessions with application_name=" in said[0]
    assert "with statement_timeout=1ms, which `ragate db roles` did not set" in said[1]
    assert "\n" not in said[0]


@pytest.mark.parametrize(("named", "words"), [("", "several roles"), ("nobody", "'nobody'")])
def test_where_several_could_serve_one_has_to_be_named(queue: str, named: str, words: str) -> None:
    with pytest.raises(UsageError, match=words) as caught:
        chosen(logged_in(queue, SUBMITTER), named)

    assert MAIN in str(caught.value)
    assert PULL in str(caught.value)


def test_a_worker_knows_its_role(queue: str) -> None:
    async def main() -> str:
        async with open_queue(logged_in(queue, PULL)) as opened:
            return await own_role(opened)

    assert asyncio.run(main()) == PULL


def test_a_workers_role_cannot_submit_and_is_told_what_can(queue: str) -> None:
    async def main() -> None:
        async with open_queue(logged_in(queue, PULL)) as opened:
            await Submission(opened, "plan", "queue", "head").begin()

    with pytest.raises(DatabaseError, match="permission denied for table plans") as caught:
        asyncio.run(main())

    assert "submitter's role" in caught.value.remedy
