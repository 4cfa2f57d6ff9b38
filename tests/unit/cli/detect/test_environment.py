"""The environment of a project's code."""

from __future__ import annotations

import sys
from pathlib import Path

from ragate.cli.detect.environment import interpreter, variables
from ragate.cli.detect.find import find_systems
from ragate.cli.detect.python_files import python_files
from tests.unit.cli.detect.code import only, project

ANSWER = "def answer(question): return 'x'\n"


def environment(root: Path) -> None:
    (root / ".venv/bin").mkdir(parents=True)
    (root / ".venv/pyvenv.cfg").write_text("")
    (root / ".venv/bin/python").write_text("")


def test_an_environment_of_its_own_is_the_interpreter(tmp_path: Path):
    root = project(tmp_path, rag=ANSWER)
    environment(root)

    assert only(find_systems(root)).settings["interpreter"] == [".venv/bin/python"]


def test_an_environment_that_is_shared_with_ragate_is_none_of_its_own(tmp_path: Path):
    root = project(tmp_path, rag=ANSWER)
    (root / ".venv").symlink_to(sys.prefix)

    assert interpreter(root) == []
    assert "interpreter" not in only(find_systems(root)).settings


def test_variables_that_the_code_reads_are_passed_to_a_process_of_its_own(tmp_path: Path):
    code = """
    import os
    from llama_index.llms.openai import OpenAI
    URL = os.environ["QDRANT_URL"]
    TOP = os.getenv("TOP_K", "5")
    HOME = os.environ.get("HOME")
    ODD = os.environ["not a name"]
    """
    root = project(tmp_path, settings=code, rag=ANSWER)
    assert "pass_env" not in only(find_systems(root)).settings
    environment(root)

    found = only(find_systems(root))

    assert variables(python_files(root)) == ["OPENAI_API_KEY", "QDRANT_URL", "TOP_K"]
    assert found.settings["pass_env"] == ["OPENAI_API_KEY", "QDRANT_URL", "TOP_K"]
