"""What a worker does with a block that it cannot do."""

import asyncio
from pathlib import Path
from typing import cast

import pytest

from ragate.config import load_config
from ragate.pipeline.workers.work import BlockServer
from ragate.queue.leases import Lease, LeaseOverError, Leases
from ragate.runtime.operations import read_operations
from tests.projects import write_docs_project


class LostAnswer:
    """Takes a block back, and the answer is lost: asked again, nobody has the block."""

    async def begin(self, plan: str, block: int) -> Lease:
        return Lease("token", "no head", 0, 0, ("q1",))

    async def give_back(self, lease: Lease, error: str, *, final: bool) -> None:
        raise LeaseOverError("the block is another worker's, or its run is over")


def test_a_block_that_is_given_back_is_not_said_to_be_done(tmp_path: Path):
    write_docs_project(tmp_path)
    config, operations = load_config(tmp_path / "ragate.toml"), read_operations(tmp_path, {})
    leases = cast("Leases", LostAnswer())

    async def serve() -> None:
        server = BlockServer(config, operations, leases, slots=1)
        await server.serve("plan", 0)

    with pytest.raises(Exception, match="the plan of the queue cannot be read"):
        asyncio.run(serve())
