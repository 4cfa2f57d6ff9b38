"""Which indexes are kept, and who still reads one."""

from __future__ import annotations

from typing import Any

import psycopg
import pytest

from tests.integration.rag import Project, write

pytestmark = pytest.mark.integration


def test_a_change_of_settings_and_back_keeps_both_indexes(project: Project) -> None:
    project.ask("pump")
    project.ask("pump", chunk_size=100)
    project.said.clear()
    project.ask("pump")
    project.ask("pump", chunk_size=100)

    assert project.said == []


def test_old_indexes_are_dropped(project: Project) -> None:
    for size in range(100, 108):
        project.ask("pump", chunk_size=size)
    project.ask("pump", chunk_size=107, rebuild=True)

    with psycopg.connect(project.database.conninfo()) as connection:
        corpus = str((project.root / "docs").resolve())
        rows = connection.execute(
            "SELECT id, to_regclass('ragate.chunks_' || id) FROM ragate.indexes WHERE corpus = %s",
            (corpus,),
        ).fetchall()
        (tables,) = connection.execute(
            "SELECT count(*) FROM pg_tables t WHERE schemaname = 'ragate' AND tablename ~ "
            "'^chunks_' AND NOT EXISTS (SELECT FROM ragate.indexes i "
            "WHERE tablename = 'chunks_' || i.id)"
        ).fetchone() or (None,)
    assert len(rows) == 5
    assert all(table for _, table in rows)
    assert tables == 0


def test_a_run_keeps_its_corpus_while_another_process_ingests_a_new_one(project: Project) -> None:
    async def run(system: Any) -> tuple[Any, Any]:
        await system.prepare()
        before = await system.answer(project.sample("pump"))
        write(project.root / "docs/notes.txt", "pump pump pump")
        await Project(project.root, project.database).asked("pump", rebuild=True)
        return before, await system.answer(project.sample("pump"))

    before, after = project.run(run)

    assert before.chunks == after.chunks
    assert project.ask("pump").chunks != before.chunks
