"""What is ingested, when, and by whom."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.integration.rag import Project, write

pytestmark = pytest.mark.integration


def test_only_what_changed_is_ingested(project: Project) -> None:
    project.ask("pump")
    write(project.root / "docs/notes.txt", "A new note on valves.")
    write(project.root / "docs/more.md", "# More\n\nMore on valves.")
    (project.root / "docs/index.md").unlink()
    project.said.clear()

    assert project.ranking("valves") == ["more.md", "notes.txt"]
    assert project.ranking("welcome") == []
    assert project.said == ["ingested 3 documents (1 new, 1 changed, 1 gone): 3 chunks"]


def test_an_unchanged_corpus_is_not_ingested_again_unless_asked(project: Project) -> None:
    project.ask("pump")
    project.ask("pump")
    assert len(project.said) == 1

    project.ask("pump", rebuild=True)
    assert len(project.said) == 2


def test_an_index_that_grew_scores_as_one_that_was_built_at_once(project: Project) -> None:
    project.ask("pump")
    for number in range(20):
        write(project.root / f"docs/n{number}.txt", f"pump number {number} " + "long " * number)
    project.ask("pump")
    (project.root / "docs/n7.txt").unlink()

    grown = project.ask("pump number", top_k=30).chunks
    fresh = project.ask("pump number", top_k=30, rebuild=True).chunks
    assert grown == fresh


KILLED = """
import asyncio, sys
from pathlib import Path
from tests.integration.rag import Project
from ragate.systems.pgvector import tables
class Given:
    def conninfo(self): return sys.argv[2]
async def stand_still(*arguments):
    print("in the middle", flush=True)
    await asyncio.sleep(60)
tables.finish = stand_still
Project(Path(sys.argv[1]), Given()).ask("pump")
"""


def test_a_killed_ingestion_leaves_the_index_as_it_was(project: Project) -> None:
    before = project.ask("pump").chunks
    old = (project.root / "docs/notes.txt").read_text(encoding="utf-8")
    write(project.root / "docs/notes.txt", "pump pump pump")
    process = subprocess.Popen(
        [sys.executable, "-c", KILLED, str(project.root), project.database.conninfo()],
        stdout=subprocess.PIPE,
        text=True,
        cwd=Path(__file__).parents[4],
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "in the middle\n"
    process.send_signal(signal.SIGKILL)
    process.communicate()

    write(project.root / "docs/notes.txt", old)
    project.said.clear()
    assert project.ask("pump").chunks == before
    assert project.said == []


def test_two_ingestions_at_once_do_the_work_once(project: Project) -> None:
    write(project.root / "docs/notes.txt", "pump pump pump")
    found: list[Any] = []
    projects = [Project(project.root, project.database) for _ in range(4)]
    threads = [threading.Thread(target=lambda p=p: found.append(p.ask("pump"))) for p in projects]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len(found) == 4
    assert all(output.chunks == found[0].chunks for output in found)
    assert sum(line.startswith("ingested") for p in projects for line in p.said) == 1
