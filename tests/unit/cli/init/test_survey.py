"""What init finds in a folder."""

from __future__ import annotations

from pathlib import Path

from ragate.cli.init.survey import look
from tests.repositories import git
from tests.unit.cli.init.init_factories import beir, pages, write


def test_a_folder_with_a_telling_name_comes_before_one_with_more_pages(tmp_path: Path) -> None:
    write(tmp_path, pages("docs/a.md", "notes/a.md", "notes/b.md", "tests/c.md", ".github/d.md"))

    survey = look(tmp_path)

    assert [(one.path, one.pages) for one in survey.docs] == [("docs", 1), ("notes", 2)]


def test_html_and_text_are_pages_and_requirements_are_not(tmp_path: Path) -> None:
    write(tmp_path, {"site/a.html": "<p>a</p>", "kb/b.txt": "b", "app/requirements.txt": "openai"})

    assert {one.path for one in look(tmp_path).docs} == {"site", "kb"}


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
    git(tmp_path, "remote", "set-url", "origin", "https://gitlab.example/acme/rag.git")
    assert look(tmp_path).elsewhere


def test_questions_in_columns_of_their_own_are_told_apart_from_golden_sets(tmp_path: Path) -> None:
    write(tmp_path, {"eval/questions.csv": "question,source\nWhich?,a.md\n"})

    assert (look(tmp_path).golden, look(tmp_path).tables) == ((), ("eval/questions.csv",))


def test_what_an_installation_left_is_no_folder_of_documents(tmp_path: Path) -> None:
    write(tmp_path, {"bot.egg-info/top_level.txt": "bot\n"})

    assert look(tmp_path).docs == ()


def test_the_languages_of_a_project_are_named_the_most_files_first(tmp_path: Path) -> None:
    write(tmp_path, {"a.py": "", "bin/ask.js": "", "lib/index.mjs": ""})

    assert look(tmp_path).languages == ("JavaScript", "Python")
