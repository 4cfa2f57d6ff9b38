"""A Postgres that was there and goes away is waited for; one that stays away is told as a loss."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import Any

import pytest
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from ragate.answers.sample_time import sample_time
from ragate.database import PostgresDatabase
from ragate.errors import DatabaseError
from ragate.systems.pgvector import ingest as ingesting
from tests.integration.rag import Project

pytestmark = pytest.mark.integration


class Gate:
    """A port that leads to a server, and can be closed: connections are cut, new ones refused."""

    def __init__(self, conninfo: str) -> None:
        facts = conninfo_to_dict(conninfo)
        self._socket = f"{facts['host']}/.s.PGSQL.{facts.get('port') or 5432}"
        self._facts = facts
        self._server: asyncio.Server | None = None
        self._pipes: set[asyncio.StreamWriter] = set()
        self.port = 0

    @property
    def conninfo(self) -> str:
        facts = {**self._facts, "host": "127.0.0.1", "port": str(self.port)}
        return make_conninfo("", **facts)

    async def open(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", self.port)
        self.port = self._server.sockets[0].getsockname()[1]

    async def open_after(self, seconds: float) -> None:
        await asyncio.sleep(seconds)
        await self.open()

    async def close(self) -> None:
        assert self._server is not None
        self._server.close()
        for pipe in self._pipes:
            pipe.transport.abort()
        self._pipes.clear()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there, back = await asyncio.open_unix_connection(self._socket)
        self._pipes |= {writer, back}

        async def pump(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
            try:
                while data := await source.read(65536):
                    target.write(data)
            except OSError:
                pass
            finally:
                target.transport.abort()

        await asyncio.gather(pump(reader, back), pump(there, writer))


@dataclass
class Named:
    """A database by its connection string."""

    gate: Gate

    def conninfo(self) -> str:
        return self.gate.conninfo


def test_a_server_that_goes_away_between_two_questions_is_waited_for(
    project: Project, database: PostgresDatabase
) -> None:
    gate = Gate(database.conninfo())

    async def use(system: Any) -> list[str]:
        await gate.open()
        await system.prepare()
        await gate.close()
        opening = asyncio.create_task(gate.open_after(3.0))
        async with sample_time(1.0):  # nobody's time
            output = await system.answer(project.sample("warranty"))
        await opening
        await gate.close()
        return [chunk.doc_id for chunk in output.chunks]

    project.database = Named(gate)

    assert project.run(use)[0] == "guides/warranty.md"
    assert project.said[-1] == "Postgres went away; it is waited for, up to 60 s"


def test_a_server_that_goes_away_in_the_middle_of_an_ingestion_is_waited_for(
    project: Project, database: PostgresDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate(database.conninfo())
    weigh_all = ingesting.weigh_all
    reopened: list[Any] = []

    async def cut(index: Any, work: Any) -> Any:
        if not reopened:
            await gate.close()
            reopened.append(asyncio.create_task(gate.open_after(2.0)))
        return await weigh_all(index, work)

    async def use(system: Any) -> set[str]:
        await gate.open()
        await system.prepare()
        found = set(await system.documents())
        await gate.close()
        return found

    monkeypatch.setattr(ingesting, "weigh_all", cut)
    project.database = Named(gate)

    assert len(project.run(use)) == 3
    assert [line for line in project.said if "went away" in line]
    assert project.said[-1].startswith("ingested 3 documents")


def test_a_server_that_stays_away_is_told_as_a_loss(
    project: Project, database: PostgresDatabase, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate = Gate(database.conninfo())
    monkeypatch.setattr(ingesting, "AWAY_S", 1.5)

    async def use(system: Any) -> None:
        await gate.open()
        await system.prepare()
        await gate.close()
        await system.answer(project.sample("warranty"))

    project.database = Named(gate)

    with pytest.raises(DatabaseError, match=r"did not come back within 1\.5 s") as caught:
        project.run(use)
    assert "start it again" in caught.value.remedy
    assert "container" not in caught.value.remedy
