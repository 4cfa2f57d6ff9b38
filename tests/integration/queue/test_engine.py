"""The connection to the queue."""

from __future__ import annotations

import asyncio

import pytest

from ragate.queue.engine import open_queue

pytestmark = pytest.mark.integration


def test_a_server_whose_machine_is_gone_is_not_waited_for_for_hours(url: str) -> None:
    async def main() -> str:
        async with open_queue(url) as queue, queue.pool.connection() as connection:
            return str(connection.info.get_parameters()["tcp_user_timeout"])

    assert asyncio.run(main()) == "30000"
