"""The questions that init asks, and the answers it takes."""

from __future__ import annotations

from pathlib import Path

from click.testing import CliRunner

from ragate.cli.init.config_text import Choice
from ragate.cli.init.guess import ask_what, chosen_lines, guess
from ragate.cli.init.survey import Survey, look
from tests.unit.cli.init.init_factories import PGVECTOR, pages, write


def ask(survey: Survey, typed: str) -> Choice:
    with CliRunner().isolation(input=typed):
        return ask_what(survey)


def test_empty_lines_take_what_was_guessed(tmp_path: Path) -> None:
    write(tmp_path, pages("docs/a.md"))

    assert ask(look(tmp_path), "\n\n\n") == PGVECTOR


def test_three_answers_choose_folder_and_model(tmp_path: Path) -> None:
    write(tmp_path, pages("docs/a.md", "kb/b.md"))

    assert ask(look(tmp_path), "documents\nkb/\nn\n") == Choice("pgvector", "kb", "chat")


def test_a_folder_without_documents_is_asked_for_again(tmp_path: Path) -> None:
    write(tmp_path, pages("docs/a.md"))

    assert ask(look(tmp_path), "documents\nnowhere\ndocs\ny\n") == PGVECTOR


def test_recordings_take_two_answers(tmp_path: Path) -> None:
    assert ask(look(tmp_path), "recordings\nruns/*.jsonl\n") == Choice("replay", "runs/*.jsonl")


def test_a_guess_that_is_not_the_code_of_the_project_says_so(tmp_path: Path) -> None:
    write(tmp_path, {**pages("docs/a.md"), "bin/ask.js": "ask();"})

    assert "not your JavaScript code" in chosen_lines(look(tmp_path), PGVECTOR)[1]


def test_what_was_found_and_is_not_gated_is_said_not_to_be(tmp_path: Path) -> None:
    code = "export const query = (text, params) => pool.query(text, params);\n"
    write(tmp_path, {**pages("docs/a.md"), "package.json": "{}", "db.js": code})

    survey = look(tmp_path)

    assert guess(survey) == PGVECTOR
    assert "nothing of what may be your RAG" in chosen_lines(survey, PGVECTOR)[1]


def test_code_that_cannot_be_asked_as_it_stands_is_named_with_the_way(tmp_path: Path) -> None:
    bot = "class Bot:\n    def __init__(self, llm): ...\n    def ask(self, question): ...\n"
    write(tmp_path, {**pages("docs/a.md"), "bot.py": bot})

    told = chosen_lines(look(tmp_path), PGVECTOR)

    assert told[2].startswith("  to gate Bot.ask() in bot.py:3 (Bot wants llm), let a function")
