"""What init finds in a folder."""

from __future__ import annotations

from pathlib import Path

from ragate.cli.init.survey import look
from tests.repositories import git
from tests.unit.cli.init.init_factories import beir, pages, write


def test_a_folder_with_a_telling_name_comes_before_one_with_more_pages(tmp_path: Path) -> None:
    write(tmp_path, pages("docs/a.md", "notes/a.md", "notes/b.md", "tests/c.md", ".github/d.md"))

    survey = look(tmp_path)

    assert survey.docs == ("docs", "notes")


def test_the_whole_of_the_documents_comes_before_a_part_of_them(tmp_path: Path) -> None:
    write(tmp_path, pages("data/kb/a.md", "data/deploy/b.md"))

    assert look(tmp_path).docs[0] == "data"


def test_html_and_text_are_pages_and_requirements_are_not(tmp_path: Path) -> None:
    write(tmp_path, {"help/a.html": "<p>a</p>", "kb/b.txt": "b", "app/requirements.txt": "openai"})

    assert set(look(tmp_path).docs) == {"help", "kb"}


def test_a_folder_of_another_name_holds_documents_where_it_holds_little_else(
    tmp_path: Path,
) -> None:
    write(tmp_path, pages("myths/hera.md", "myths/leto.md"))
    write(tmp_path, {f"myths/pictures/{number}.png": "" for number in range(4)})
    write(tmp_path, {f"policies/{name}": "" for name in ("a.pdf", "b.pdf", "c.docx", "d.docx")})
    write(tmp_path, {"store/placeholder.txt": "it holds the place", "agents/prompt.txt": "You are"})
    write(tmp_path, {"web/index.html": "", "web/about.html": ""})
    write(tmp_path, {f"web/{name}.ts": "" for name in "abc"})

    assert look(tmp_path).docs == ("myths", "policies")


def test_a_beir_folder_is_found(tmp_path: Path) -> None:
    write(tmp_path, beir("data/nf"))

    assert look(tmp_path).beir == ("data/nf",)


def test_a_golden_set_is_found_by_reading_it(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "evals/golden.csv": "question,expected\nWhich?,a.md\n",
            "data/questions.jsonl": '{"prompt": "no golden set"}\n',
            "config.yaml": "- query: not looked at, its name says nothing\n",
        },
    )

    assert look(tmp_path).golden == ("evals/golden.csv",)


def test_questions_under_names_of_their_own_are_named_and_not_read(tmp_path: Path) -> None:
    row = '{"question": "Which?", "gold_answer": "a", "gold_context_snippet": "b"}\n'
    write(tmp_path, {"data/eval_set.jsonl": row, "data/eval_log.jsonl": '{"took": 3}\n'})

    survey = look(tmp_path)

    assert (survey.golden, survey.importable) == ((), ("data/eval_set.jsonl",))


def test_recorded_outputs_are_found_by_reading_them(tmp_path: Path) -> None:
    write(tmp_path, {"outputs/a.jsonl": '{"id": "q1", "answer": "Yes."}\n'})
    assert look(tmp_path).recorded == ("outputs/*.jsonl",)

    write(tmp_path, {"outputs/a.jsonl": '{"event": "log line"}\n'})
    assert look(tmp_path).recorded == ()


def test_no_link_is_followed(tmp_path: Path) -> None:
    outside = write(tmp_path / "outside", {"outputs/a.jsonl": '{"id": "q1", "answer": "Yes."}\n'})
    root = tmp_path / "project"
    root.mkdir()
    (root / "outputs").symlink_to(outside / "outputs")

    assert look(root).recorded == ()


def test_the_host_is_read_from_the_remote(tmp_path: Path) -> None:
    assert not look(tmp_path).elsewhere
    git(tmp_path, "init", "-q")
    assert not look(tmp_path).elsewhere
    git(tmp_path, "remote", "add", "origin", "git@github.com:acme/rag.git")
    assert not look(tmp_path).elsewhere
    git(tmp_path, "remote", "set-url", "origin", "/srv/mirror/rag")
    assert not look(tmp_path).elsewhere
    git(tmp_path, "remote", "set-url", "origin", "https://gitlab.example/acme/rag.git")
    assert look(tmp_path).elsewhere


def test_what_an_installation_left_is_no_folder_of_documents(tmp_path: Path) -> None:
    write(tmp_path, {"bot.egg-info/top_level.txt": "bot\n"})

    assert look(tmp_path).docs == ()


def test_templates_of_a_framework_are_no_documents(tmp_path: Path) -> None:
    write(tmp_path, {"rag/templates/rag/home.html": "<p>{{ title }}</p>", "docs/a.md": "# A"})

    assert look(tmp_path).docs == ("docs",)


def test_what_fills_an_index_is_named_and_keys_that_the_code_reads(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "populate_database.py": "import os\nos.environ['BEDROCK_TOKEN']\n"
            "if __name__ == '__main__':\n  fill()",
            "app/services/ingestion.py": "def ingest(path): ...",
            "ingest.py": "def pages(): ...\nfor page in pages():\n  index.add(page)",
            "rag.py": "from openai import OpenAI",
            "src/rag.js": "const key = process.env.COHERE_API_KEY",
            "package.json": '{"scripts": {"start": "node .", "ingest": "node fill.js"}}',
        },
    )

    survey = look(tmp_path)

    assert survey.fills == ("ingest.py", "populate_database.py")
    assert survey.node is not None
    assert survey.node.steps == ("npm ci", "npm run ingest")
    assert survey.keys == ("BEDROCK_TOKEN", "COHERE_API_KEY", "OPENAI_API_KEY")


def test_the_projects_of_a_monorepo_are_named(tmp_path: Path) -> None:
    code = "def answer(question): ...\n"
    package = '{"scripts": {"start": "node a.js"}, "dependencies": {"express": "5"}}'
    write(tmp_path, {"apps/a/requirements.txt": "", "apps/a/rag.py": code})
    write(tmp_path, {"apps/b/package.json": package, "apps/c/pyproject.toml": "", "README.md": ""})

    assert look(tmp_path).projects == ("apps/a", "apps/b")
    assert look(tmp_path / "apps/a").projects == ()


def test_a_project_that_only_uses_a_library_of_rags_is_one(tmp_path: Path) -> None:
    package = '{"scripts": {"start": "node a.js"}, "dependencies": {"express": "5"}}'
    write(tmp_path, {"rag/requirements.txt": "", "rag/run.py": "from haystack import Pipeline\n"})
    write(tmp_path, {"tool/package.json": package})

    assert look(tmp_path).projects == ("rag", "tool")


def test_code_that_a_manual_shows_is_no_code_of_the_project(tmp_path: Path) -> None:
    app = "from fastapi import FastAPI\napp = FastAPI()\n"
    write(tmp_path, {"docs/fastapi/docs_src/first.py": app, "rag.py": "import openai\n"})

    code = look(tmp_path).code

    assert code.apps == ()
    assert [str(one.path) for one in code.candidates] == ["rag.py"]


def test_scores_of_an_evaluator_are_known_by_reading_them(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "out/results.csv": "id,faithfulness\nq1,0.9\n",
            "eval/sales_results.csv": "id,revenue\na,3\n",
        },
    )

    assert look(tmp_path).scores == ("out/results.csv",)
