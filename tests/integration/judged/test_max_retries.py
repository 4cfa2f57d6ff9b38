"""``max_retries`` of the judge: how often a request that failed is made again."""

from __future__ import annotations

import asyncio
import os

import pytest

from ragate.config import load_config
from ragate.errors import ProviderError
from ragate.protocols import ChatRequest
from ragate.resources.operations import read_operations
from ragate.resources.resources import open_resources
from tests.projects import ReplayProject
from tests.servers.faults import status

pytestmark = pytest.mark.integration
JUDGE = """
[policy.providers.local]
base_url = "{url}"

[policy.judge]
use = "rubric"
provider = "local"
model = "judge-1"
max_retries = {retries}
"""


def ask_judge(root, url, retries):
    ReplayProject(root, samples=1, metrics=JUDGE.format(url=url, retries=retries))

    async def once():
        config = load_config(root / "ragate.toml")
        async with open_resources(config, read_operations(root, os.environ)) as opened:
            return await opened.judge.chat("local")(ChatRequest("judge-1", (("user", "x"),), {}))

    return asyncio.run(once())


@pytest.mark.parametrize("retries", [0, 1])
def test_a_request_that_fails_too_often_is_given_up(tmp_path, server, retries):
    server.faults = [status(500)] * (retries + 1)

    with pytest.raises(ProviderError):
        ask_judge(tmp_path, server.base_url, retries)

    assert len(server.requests) == retries + 1


def test_a_request_that_fails_less_often_is_answered(tmp_path, server):
    server.faults = [status(500)]

    assert ask_judge(tmp_path, server.base_url, 1).text
