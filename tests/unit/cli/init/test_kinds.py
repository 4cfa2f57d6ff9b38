"""What init asks, what it takes for likeliest, and the way that comes of it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from ragate.cli.init.kinds import ask_kind, choice_of, likeliest, place_of, seen
from ragate.cli.init.survey import NodeProject, look
from ragate.cli.main import run
from ragate.errors import UsageError
from tests.repositories import git
from tests.unit.cli.init.init_factories import pages, write

APP = "from fastapi import FastAPI\napp = FastAPI()\n"
CODE = "def answer(question): ...\n"


@pytest.mark.parametrize(
    ("files", "kind"),
    [
        ({"out/results.csv": "id,faithfulness\nq1,0.9\n", "rag.py": CODE}, "results"),
        ({"outputs/a.jsonl": '{"id": "q1", "answer": "Yes."}\n', "rag.py": CODE}, "answers"),
        ({"main.py": APP, "rag.py": CODE}, "service"),
        ({"main.py": APP.replace("FastAPI", "Flask"), "rag.py": CODE}, "code"),
        ({"main.py": APP, "ragate_rag.py": CODE}, "code"),
        ({"rag.py": CODE, "docs/a.md": "# A"}, "code"),
        ({"store.py": "class Store:\n  def query(self, query): ...\n"}, "code"),
        (
            {"package.json": '{"scripts": {"start": ""}, "dependencies": {"express": ""}}'},
            "service",
        ),
        ({"app.py": "from langchain import hub", "docs/a.md": "# A"}, "code"),
        ({"package.json": '{"dependencies": {"@langchain/openai": "1"}}', "docs/a.md": ""}, "code"),
        (
            {"app.py": "from fastapi import FastAPI\ndef build_rag_app():\n  return FastAPI()"},
            "service",
        ),
        ({"app.py": "from flask import Flask\ndef create_app():\n  return Flask(1)"}, "service"),
        ({"ask.py": "p.add_argument('query')", "a.py": "import langchain"}, "program"),
        ({"rag.py": CODE, "ask.py": "p.add_argument('query')"}, "code"),
        ({"ask.py": "p.add_argument('--model')", "a.py": "import langchain"}, "code"),
        ({"README.md": "# A", "docs/a.md": "# A"}, "documents"),
    ],
)
def test_the_likeliest_is_what_is_cheaply_seen(
    tmp_path: Path, files: dict[str, str], kind: str
) -> None:
    assert likeliest(look(write(tmp_path, files))) == kind


@pytest.mark.parametrize(
    ("typed", "kind"), [("\n", "code"), ("1\n", "results"), ("6\n", "documents")]
)
def test_one_question_is_asked_and_an_empty_line_takes_what_was_seen(
    tmp_path: Path, typed: str, kind: str
) -> None:
    write(tmp_path, {**pages("docs/a.md"), "rag.py": CODE})

    with CliRunner().isolation(input=typed):
        assert ask_kind(look(tmp_path)) == kind


def test_an_application_is_started_from_where_its_imports_lead(tmp_path: Path) -> None:
    write(tmp_path, {"backend/app/main.py": f"from app.x import y\n{APP}", "backend/app/x.py": ""})

    choice = choice_of(look(tmp_path), "service", "http://127.0.0.1:8123")

    start = " ".join(choice.settings["start"])
    assert "--app-dir backend app.main:app --host 127.0.0.1 --port 8123" in start
    assert choice.policy == {"http_hosts": ["127.0.0.1:8123"]}
    assert "path that takes questions" in choice.unfilled


def test_of_two_applications_the_one_that_answers_is_started_and_both_are_named(
    tmp_path: Path,
) -> None:
    survey = look(write(tmp_path, {"src/indexing/main.py": APP, "src/query/main.py": APP}))

    assert "query.main:app" in choice_of(survey, "service").settings["start"]
    assert seen(survey)["service"].words.count("makes an application of FastAPI") == 2


def test_a_router_is_no_application(tmp_path: Path) -> None:
    router = "from flask import Blueprint, Flask\napi = Blueprint(0)\n@api.post(1)\ndef a(): ...\n"
    made = "def create_app():\n  return Flask('a')\n"

    start = choice_of(look(write(tmp_path, {"app.py": router + made})), "service").settings["start"]

    assert "app.py:create_app" in start


def test_a_service_elsewhere_is_started_by_nobody(tmp_path: Path) -> None:
    choice = choice_of(look(write(tmp_path, {"main.py": APP})), "service", "rag.example/ask")

    assert choice.settings["url"] == "http://rag.example/ask"
    assert "start" not in choice.settings


def test_a_service_without_a_path_is_asked_by_the_same_command(tmp_path: Path) -> None:
    chosen = choice_of(look(tmp_path), "service", "https://rag.example.com")

    assert "[system] url lacks the path" in chosen.unfilled
    assert "type the same with --ask" in chosen.unfilled


def test_a_header_and_its_variable_are_written_for_the_host_alone(tmp_path: Path) -> None:
    at, header = "http://127.0.0.1:8000/ask", "Authorization=RAG_AUTHORIZATION"
    choice = choice_of(look(tmp_path), "service", at, headers=[header])

    assert choice.settings["headers_env"] == {"Authorization": "RAG_AUTHORIZATION"}
    assert choice.policy["http_header_env"] == {"127.0.0.1:8000": ["RAG_AUTHORIZATION"]}
    with pytest.raises(UsageError, match="names no variable"):
        choice_of(look(tmp_path), "service", at, headers=["Authorization"])


@pytest.mark.parametrize(
    ("argument", "written"), [("query_text", ""), ("--question", "--question ")]
)
def test_a_program_gets_the_question_where_it_takes_it(
    tmp_path: Path, argument: str, written: str
) -> None:
    survey = look(write(tmp_path, {"cli/main.py": f"parser.add_argument('{argument}')\n"}))

    assert place_of(survey, "program") == f"python cli/main.py {written}{{question}}"


def test_the_file_whose_name_speaks_of_questions_is_shown_first(tmp_path: Path) -> None:
    library = "import langchain\n"
    files = {"compare.py": library, "storage.py": library, "qa_bot.py": library, "qa_engine.py": ""}
    told = seen(look(write(tmp_path, files)))["code"].words

    assert "qa_bot.py uses langchain" in told
    assert "storage.py" not in told


def test_a_program_is_run_by_the_adapter(tmp_path: Path) -> None:
    choice = choice_of(look(tmp_path), "program", "./bin/rag --ask {question}")

    assert '["./bin/rag", "--ask", "{question}"]' in choice.files["ragate_rag.py"]


@pytest.mark.parametrize(
    ("kind", "at"), [("program", ""), ("code", "rag.py"), ("service", "http://")]
)
def test_what_is_not_said_or_wrong_is_asked_for(tmp_path: Path, kind: str, at: str) -> None:
    with pytest.raises(UsageError) as caught:
        choice_of(look(tmp_path), kind, at)

    assert caught.value.remedy


def test_scores_that_are_committed_come_after_what_can_be_asked(tmp_path: Path) -> None:
    write(tmp_path, {"eval/results.csv": "id,faithfulness\nq1,0.9\n", "rag.py": CODE})
    git(tmp_path, "init", "-q")
    assert likeliest(look(tmp_path)) == "results"

    git(tmp_path, "add", ".")

    assert likeliest(look(tmp_path)) == "code"


def test_of_two_frameworks_the_one_that_describes_itself_comes_first_and_both_are_named(
    tmp_path: Path,
) -> None:
    flask = APP.replace("FastAPI", "Flask").replace("fastapi", "flask")
    survey = look(write(tmp_path, {"admin.py": flask, "web/main.py": APP}))

    assert "web.main:app" in choice_of(survey, "service").settings["start"]
    told = seen(survey)["service"].words
    assert "web/main.py makes an application of FastAPI" in told
    assert "admin.py makes an application of Flask" in told


def test_a_module_that_deletes_files_when_it_is_imported_is_not_imported(tmp_path: Path) -> None:
    code = "import pathlib\nfor one in pathlib.Path(__file__).parent.iterdir(): one.unlink()\n"
    write(tmp_path, {"rag.py": code + CODE, "keep.txt": "mine"})

    assert run(["init", "--yes", str(tmp_path)]) == 0

    assert (tmp_path / "keep.txt").read_text() == "mine"
    assert "from rag import answer" in (tmp_path / "ragate_rag.py").read_text()


def test_a_service_of_node_is_looked_for_where_node_serves(tmp_path: Path) -> None:
    there = replace(look(tmp_path), node=NodeProject(scripts=("dev",)))

    assert place_of(there, "service") == "http://127.0.0.1:3000"
    assert place_of(replace(there, node=None), "service") == "http://127.0.0.1:8000"
