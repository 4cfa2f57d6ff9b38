"""Every row of the page "From the seeds": its command does what the row says."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager
from importlib.util import find_spec
from typing import Any

import pytest

from ragate.database import PostgresDatabase
from tests.contrib.anthropic.messages_server import KEY, as_openai, messages_server
from tests.integration.seeds.page import PAGE, text
from tests.integration.seeds.ran import Seeds
from tests.integration.seeds.row import Row
from tests.integration.seeds.rows import ROWS
from tests.integration.seeds.stand_in import local_models, models, reply
from tests.servers.collector import Collector, collector
from tests.unit.whole import of_the_whole

pytestmark = [
    pytest.mark.integration,
    pytest.mark.filterwarnings("ignore:The sampling capability is deprecated"),
]


@pytest.fixture(scope="module")
def seeds(tmp_path_factory: pytest.TempPathFactory, database: PostgresDatabase) -> Iterator[Seeds]:
    with (
        pytest.MonkeyPatch.context() as patch,
        models() as server,
        collector() as seen,
        by_grpc() as other,
        messages_server() as messages,
    ):
        messages.reply = lambda body: reply(as_openai(body))
        patch.setenv("CLAUDE", messages.url)
        patch.setenv("ANTHROPIC_API_KEY", KEY)
        for name in ("CI", "RAGATE_CONFIG"):
            patch.delenv(name, raising=False)
        for name, module in local_models().items():
            patch.setitem(sys.modules, name, module)
        patch.setenv("RAGATE_DATABASE_URL", database.conninfo())
        patch.setenv("POSTGRES", database.conninfo())
        patch.setenv("COLLECTOR", seen.url)
        patch.setenv("GRPC_COLLECTOR", other.url)
        yield Seeds(tmp_path_factory.mktemp("seeds"), server.base_url, seen, other)


def by_grpc() -> AbstractContextManager[Collector]:
    """Return a collector that is spoken to by gRPC, or without the extra one that nobody asks."""
    if not HAS_GRPC:
        return collector()
    from tests.servers.grpc_collector import grpc_collector

    return grpc_collector()


HAS_GRPC = find_spec("grpc") is not None
_NEEDS_GRPC = pytest.mark.skipif(not HAS_GRPC, reason="the extra otel-grpc is not installed")
# What is brought by contrib, by project or command.
BESIDE = (
    "claude ",
    "ragate dataset suggest",
    "ragate dataset fetch",
    "ragate dataset import",
    "RAGATE_TELEMETRY=",
    "ragate try",
    "ragate index",
)


def params() -> list[Any]:
    return [
        pytest.param(
            row,
            id=f"{row.seed}-{row.capability}",
            marks=[
                *[of_the_whole] * any(part in f"{row.project} {row.command}" for part in BESIDE),
                *[_NEEDS_GRPC] * ("PROTOCOL=grpc" in row.command),
            ],
        )
        for row in ROWS
    ]


@pytest.mark.parametrize("row", params())
def test_the_command_of_a_row_does_what_it_says(seeds: Seeds, row: Row) -> None:
    came = seeds.ran(row.project, row.command)

    shown = came.text[-3000:]
    assert came.code == row.code, shown
    if isinstance(row.shows, str):
        assert re.search(row.shows, came.text), shown
    else:
        assert row.shows(came), shown


@of_the_whole
def test_the_page_holds_the_table() -> None:
    assert PAGE.read_text(encoding="utf-8") == text(), "python -m tests.integration.seeds.page"
