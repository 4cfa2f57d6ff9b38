"""The built-in RAG in the action: told apart without a database, and judged with one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ragate.database import PostgresDatabase
from ragate.machine_faults import in_container
from tests.container.runner import StepResult
from tests.e2e.action.forge import Forge
from tests.e2e.command import ragate
from tests.projects import TOPICS, write_docs_project
from tests.servers.github_stub import github_stub

pytestmark = [pytest.mark.e2e, pytest.mark.integration]
NOWHERE = "postgresql://someone:hush-hush-pw@localhost:9/none"
Files = dict[str, bytes]


@pytest.fixture(scope="module")
def docs_files(tmp_path_factory: pytest.TempPathFactory, database: PostgresDatabase) -> Files:
    folder = tmp_path_factory.mktemp("docs-gate")
    write_docs_project(folder)
    env = {"RAGATE_DATABASE_URL": database.conninfo()}
    done = ragate(folder, "baseline", "update", "--runs", "2", env=env)
    assert done.returncode == 0, done.stderr
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and ".ragate" not in path.parts
    }


@contextmanager
def opened(folder: Path, docs_files: Files, database: PostgresDatabase) -> Iterator[Forge]:
    with github_stub(folder / "github") as github:
        forge = Forge(github, folder, env={"RAGATE_DATABASE_URL": database.conninfo()})
        forge.start(docs_files)
        yield forge


@pytest.fixture
def docs(tmp_path: Path, docs_files: Files, database: PostgresDatabase) -> Iterator[Forge]:
    with opened(tmp_path, docs_files, database) as forge:
        yield forge


@pytest.fixture(scope="module")
def edited(
    tmp_path_factory: pytest.TempPathFactory, docs_files: Files, database: PostgresDatabase
) -> Iterator[tuple[Forge, StepResult]]:
    """Yield a judged change: two pages are lost, and a new one holds what was answered from one."""
    with opened(tmp_path_factory.mktemp("edited"), docs_files, database) as forge:
        files = {
            "docs/figs.md": b"# Nothing here\n",
            "docs/plums.md": b"# Gone\n",
            "docs/kiwis.md": b"# Kiwis\n\nThe plums come from orchard 2.\n",
        }
        yield forge, forge.check(forge.change(files))


def test_an_equal_fingerprint_needs_no_database_and_no_run(docs: Forge) -> None:
    change = docs.change({"web/index.html": b"<b>"})
    result = docs.check(change, inputs={"database-url": NOWHERE})
    assert result.exit_code == 0, result.log
    assert result.outputs["affected"] == "0"
    assert "the change reaches 0 of 8 questions" in docs.comment()
    assert "are those of the baseline" in docs.comment()


def test_a_changed_page_is_run_and_needs_its_database(docs: Forge) -> None:
    change = docs.change({"docs/figs.md": b"# Nothing here\n"})
    result = docs.check(change, inputs={"database-url": NOWHERE})
    assert result.exit_code == 3, result.log
    assert result.outputs["verdict"] == "error"
    assert ("service's name" if in_container() else "that the server runs") in result.raw_log
    assert "hush-hush-pw" not in result.raw_log + result.summary + docs.comment()


def test_a_page_that_is_lost_fails_and_names_itself(edited: tuple[Forge, StepResult]) -> None:
    forge, result = edited
    assert result.exit_code == 1, result.log
    assert "figs" in forge.comment()
    paths = {one.properties.get("file") for one in result.annotations("error")}
    assert paths & {"docs/figs.md", "docs/plums.md"}


def test_an_answer_that_is_copied_into_the_corpus_is_pointed_out(
    edited: tuple[Forge, StepResult],
) -> None:
    forge, result = edited
    told = "docs/kiwis.md now holds the reference answer of plums verbatim"
    assert any(told in warning for warning in forge.report()["decision"]["warnings"]), result.log


def test_a_new_page_that_no_question_expects_has_a_line_in_the_comment(
    edited: tuple[Forge, StepResult],
) -> None:
    forge, _ = edited
    assert forge.report()["data"]["unasked_documents"] == ["kiwis.md"]
    assert "No golden question covers <code>kiwis.md</code>" in forge.comment()


def test_a_header_that_denies_determinism_does_not_soften_the_rules(docs: Forge) -> None:
    lost = {f"docs/{topic}.md": b"# Gone\n" for topic in TOPICS[:2]}
    change = docs.change(lost, fork="stranger/handbook")
    collected, lines = docs.collect(change)
    assert collected.exit_code == 0, collected.log
    header, *rest = [json.loads(line) for line in lines.splitlines()]
    header["manifest"]["system"] |= {"deterministic": [], "fingerprint": ""}
    forged = "".join(json.dumps(line) + "\n" for line in [header, *rest]).encode()
    assert docs.decide(change, forged).exit_code == 1
    assert any(row["exact"] and row["blocks"] for row in docs.report()["decision"]["metrics"])
