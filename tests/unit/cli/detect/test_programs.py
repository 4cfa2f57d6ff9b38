"""Programs that take the question as an argument, and the adapters for them."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from ragate.cli.detect.candidate import RagCandidate
from ragate.cli.detect.programs import NAME, find_programs, find_seeds
from tests.unit.cli.detect.code import only
from tests.unit.cli.init.init_factories import write

GO = "package main\nfunc main() { question := os.Args[1] }\n"
SCRIPT = """
import json, sys
def main():
    question = sys.argv[1]
    print(json.dumps({"reply": question}))
"""


def found(root: Path, files: dict[str, str]) -> RagCandidate:
    write(root, files)
    return only(list(find_programs(root)))


def test_a_program_of_go_is_run_by_an_adapter(tmp_path: Path):
    program = found(tmp_path, {"go.mod": "", "cmd/ask/main.go": GO})

    assert program.settings["command"][-1] == NAME
    assert '["go", "run", "./cmd/ask"]' in program.files[NAME]


def test_a_target_of_a_makefile_takes_the_question_as_its_variable(tmp_path: Path):
    program = found(tmp_path, {"Makefile": 'ask:\n\t@python ask.py "$(Q)"\nseed:\n\ttrue\n'})

    assert '["make", "-s", "ask", "Q={question}"]' in program.files[NAME]


@pytest.mark.parametrize("scripts", ["ask = 3", 'ask = "cli"', 'ask = "other:main"'])
def test_a_script_that_reads_no_question_is_none(tmp_path: Path, scripts: str):
    write(tmp_path, {"pyproject.toml": f"[project.scripts]\n{scripts}\n", "cli.py": SCRIPT})

    assert list(find_programs(tmp_path)) == []


def test_the_adapter_of_a_script_answers_lines(tmp_path: Path):
    files = {"pyproject.toml": '[project.scripts]\nask = "cli:main"\n', "cli.py": SCRIPT}
    program = found(tmp_path, files)
    text = re.sub('"python3?"', json.dumps(sys.executable), program.files[NAME])
    (tmp_path / NAME).write_text(text)

    done = subprocess.run(
        [sys.executable, NAME],
        cwd=tmp_path,
        input='{"id": "q1", "query": "Why?"}\n',
        capture_output=True,
        text=True,
        check=True,
    )

    ready, reply = map(json.loads, done.stdout.splitlines())
    assert ready == {"ready": True}
    assert reply == {"reply": {"reply": "Why?"}, "id": "q1"}


@pytest.mark.parametrize(
    ("name", "text", "command"),
    [
        ("Makefile", "all:\n\nseed: install\n\tpython seed.py\nindex := 3\n", "make seed"),
        ("package.json", '{"scripts": {"start": "x", "ingest": "tsx i.ts"}}', "npm run ingest"),
        ("compose.yaml", "services:\n  seed:\n    build: .\n", "docker compose run --rm seed"),
    ],
)
def test_the_step_is_found(tmp_path: Path, name: str, text: str, command: str):
    write(tmp_path, {name: text})

    assert find_seeds(tmp_path, tmp_path) == (command,)


def test_the_makefile_of_a_repository_serves_a_project_below_it(tmp_path: Path):
    write(tmp_path, {"Makefile": "seed:\n\ttrue\n", "apps/help/app.py": ""})

    assert find_seeds(tmp_path / "apps/help", tmp_path) == ("make -C ../.. seed",)


def test_what_is_no_file_of_that_kind_gives_none(tmp_path: Path):
    write(tmp_path, {"package.json": "[", "Makefile": "run:\n\ttrue\n"})

    assert find_seeds(tmp_path, tmp_path) == ()
