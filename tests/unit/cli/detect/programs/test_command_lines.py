"""Programs of other languages that take the question as an argument."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from ragate.cli.detect.programs.command_lines import NAME, find_command_lines
from tests.unit.cli.detect.code import only
from tests.unit.cli.init.init_factories import write

RUST = "fn main() { let question = std::env::args().nth(1); }\n"
GO = 'package main\nimport "os"\nfunc main() { question := os.Args[1] }\n'
JAVA = "class Ask { public static void main(String[] args) { String question = args[0]; } }\n"
RUBY = "question = ARGV.first\nputs answer(question)\n"


@pytest.mark.parametrize(
    ("files", "program"),
    [
        ({"Cargo.toml": "", "src/main.rs": RUST}, ["cargo", "run", "--quiet", "--"]),
        ({"go.mod": "", "cmd/ask/main.go": GO}, ["go", "run", "./cmd/ask"]),
        ({"Ask.java": JAVA}, ["java", "Ask.java"]),
        ({"bin/ask.rb": RUBY}, ["ruby", "bin/ask.rb"]),
    ],
)
def test_a_program_with_a_question_as_its_argument_is_reached_by_an_adapter(
    tmp_path: Path, files: dict[str, str], program: list[str]
):
    found = only(list(find_command_lines(write(tmp_path, files))))

    assert f"PROGRAM = {json.dumps(program)}\n" in found.files[NAME]
    assert found.settings["command"][1] == NAME
    assert found.likelihood >= 45


@pytest.mark.parametrize(
    "files",
    [
        {"src/main.rs": RUST},  # no project
        {"Cargo.toml": "", "src/lib.rs": "fn answer(question: &str) {}"},
        {"Ask.java": "class Ask { void main() {} } // question"},
        {"deploy.rb": "host = ARGV.first\n"},
    ],
)
def test_what_takes_no_question_is_none(tmp_path: Path, files: dict[str, str]):
    assert list(find_command_lines(write(tmp_path, files))) == []


def test_a_script_that_only_speaks_of_a_query_is_less_likely_than_documents(tmp_path: Path):
    files = {"report.rb": "query = ARGV.first\nputs db.run(query)\n"}

    assert only(list(find_command_lines(write(tmp_path, files)))).likelihood < 45


PROGRAM = """
import json, sys
asked = sys.argv[1]
if asked == "fail":
    sys.exit("no index")
print(json.dumps({"answer": asked, "chunks": []}) if asked == "json" else f"text of {asked}")
"""


def test_the_adapter_runs_the_program_for_each_question(tmp_path: Path):
    found = only(list(find_command_lines(write(tmp_path, {"ask.rb": RUBY}))))
    program = json.dumps([sys.executable, "program.py"])
    adapter = found.files[NAME].replace('["ruby", "ask.rb"]', program)
    write(tmp_path, {"program.py": PROGRAM, NAME: adapter})
    asked = [{"id": str(n), "query": query} for n, query in enumerate(["json", "a", "fail"])]

    done = subprocess.run(
        [sys.executable, NAME],
        cwd=tmp_path,
        input="".join(json.dumps(each) + "\n" for each in asked),
        capture_output=True,
        text=True,
        check=True,
    )

    ready, *replies = (json.loads(line) for line in done.stdout.splitlines())
    assert ready == {"ready": True}
    assert replies == [
        {"answer": "json", "chunks": [], "id": "0"},
        {"answer": "text of a", "id": "1"},
        {"error": "no index", "id": "2"},
    ]
