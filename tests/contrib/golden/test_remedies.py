"""What an error says to do is done: the error is gone then, or it is another one."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import click
import pytest

from ragate.cli.group import cli
from ragate.cli.main import run
from tools.house import modules
from tools.reference import commands as command_pages
from tools.reference import configuration

COMMAND = re.compile(r"`ragate ([^`]+)`")
PLACEHOLDER = "\0"  # where an f-string has a value


def texts(tree: ast.AST) -> Iterator[str]:
    """Yield the texts of a module, with a mark in place of each value."""
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            parts = (p.value if isinstance(p, ast.Constant) else PLACEHOLDER for p in node.values)
            yield "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def commands() -> list[str]:
    """Return every command line that a text of the product names, past its prompts and pages."""
    return sorted(
        {
            line
            for tree in modules().values()
            for text in texts(tree)
            for line in COMMAND.findall(text)
        }
    )


@pytest.mark.parametrize("line", commands())
def test_a_command_that_is_named_is_there_with_its_options(line: str) -> None:
    words = line.split()
    group: click.Command = cli
    while words and isinstance(group, click.Group):
        if not re.fullmatch(r"[a-z][a-z-]*", words[0]):
            return  # a value stands in place of the command
        found = group.get_command(click.Context(group), words[0])
        assert found is not None, f"there is no command {words[0]!r}"
        group, words = found, words[1:]
    known = {name for option in group.params for name in (*option.opts, *option.secondary_opts)}
    options = {word.partition("=")[0] for word in words if re.fullmatch(r"--[a-z-]+(=.*)?", word)}
    assert options <= {*known, "--help", "--version"}


def remedies() -> Iterator[str]:
    """Yield every remedy of the product, wherever an error or a finding is given one."""
    for tree in modules().values():
        for node in ast.walk(tree):
            if isinstance(node, ast.keyword) and node.arg == "remedy":
                yield from texts(node.value)


# Options of others: of pip, git, promptfoo, Inspect, lm-evaluation-harness.
OF_OTHERS = {
    *("--no-deps", "--upgrade", "--cached", "--unshallow", "--filter-providers"),
    *("--filter-prompts", "--to", "--output-dir", "--log_samples"),
}


def test_an_option_that_is_named_is_there() -> None:
    known = {
        name
        for _, command in command_pages.leaves(cli)
        for option in command.params
        for name in (*option.opts, *option.secondary_opts)
    }

    named = {name for text in remedies() for name in re.findall(r"(?<![\w-])--[a-z][\w-]+", text)}

    assert len(named) > 30
    assert named - OF_OTHERS <= known


def test_a_key_that_is_named_is_there() -> None:
    tables = configuration.context()["tables"]
    known = {key.name for table in tables for key in table.keys}
    in_a_table = r"\[(?:policy|system)[^\]]*\] ([a-z_]+)(?= =|\b(?= names|, |;|$))"

    named = set()
    for text in remedies():
        named |= {*re.findall(in_a_table, text), *re.findall(r"\b([a-z][a-z_]+) = ", text)}

    assert len(named) > 15
    assert named - {"key"} <= known  # an example of a setting


@dataclass(frozen=True)
class Case:
    """A command that fails, what its remedy must say, and what somebody does who reads that."""

    files: dict[str, str]
    arguments: str
    says: str
    then: str = ""
    pasted: bool = False


IMPORT = "dataset import"
OUT = "--output golden.jsonl"
TABLE = "question,doc_id,truth\nA?,1,x\nB?,2,y\nC?,3,z\n"
REPLAY = '[policy]\ndataset = "g.jsonl"\nbaseline = "b.json"\nsystems = ["replay"]\n'
REPLAY += 'replay_paths = ["o/*"]\n[policy.metrics.token_f1]\n[system]\nuse = "replay"\n'
REPLAY += 'paths = ["o/*"]\n'
GOLDEN = '{"id": "a", "query": "A?", "references": ["x"]}\n'
CASES = {
    "a column of one's own in a golden set": Case(
        {"g.csv": "question,reference,owner\nA?,x,ann\n"},
        "dataset validate g.csv",
        "`ragate dataset import table`",
        f"{IMPORT} table g.csv {OUT}",
    ),
    "labels that count the rows": Case(
        {"t.csv": TABLE},
        f"{IMPORT} t.csv {OUT}",
        "--column relevant= leaves the column out",
        f"{IMPORT} t.csv {OUT} --column relevant=",
    ),
    "labels that are meant": Case(
        {"t.csv": TABLE},
        f"{IMPORT} t.csv {OUT}",
        "--column relevant=doc_id takes them as they are",
        f"{IMPORT} t.csv {OUT} --column relevant=doc_id",
    ),
    "ids that count the rows": Case(
        {"t.csv": "id,question,truth\n0,A?,x\n1,B?,y\n"},
        f"{IMPORT} t.csv {OUT}",
        "--column id= leaves the column out",
        f"{IMPORT} t.csv {OUT} --column id=",
    ),
    "questions without labels": Case(
        {"t.csv": "question,remark\nA?,fine\n"},
        f"{IMPORT} t.csv {OUT}",
        "--draft keeps the questions as drafts",
        f"{IMPORT} t.csv {OUT} --draft",
    ),
    "a right answer under a name of one's own": Case(
        {"t.csv": "question,Musterantwort\nA?,x\n"},
        f"{IMPORT} t.csv {OUT}",
        "--column references=NAME",
        f"{IMPORT} t.csv {OUT} --column references=Musterantwort",
    ),
    "a question under a name of one's own": Case(
        {"t.csv": "Frage,truth\nA?,x\n"},
        f"{IMPORT} t.csv {OUT}",
        "--column query=NAME",
        f"{IMPORT} t.csv {OUT} --column query=Frage",
    ),
    "an answer where documents are wanted": Case(
        {"t.csv": "question,source\nA?,It is kept for ten days.\n"},
        f"{IMPORT} t.csv {OUT}",
        "--column references=source",
        f"{IMPORT} t.csv {OUT} --column references=source",
    ),
    "a wrong guess of the tool": Case(
        {"t.jsonl": '{"input": "A?", "actual_output": "x", "expected_output": "y"}\n'},
        f"{IMPORT} ragas t.jsonl {OUT}",
        "leave ragas out",
        f"{IMPORT} t.jsonl {OUT}",
    ),
    "a kind that is none": Case(
        {"t.csv": "question,truth\nA?,x\n"},
        f"{IMPORT} csv t.csv {OUT}",
        "leave it out",
        f"{IMPORT} t.csv {OUT}",
    ),
    "a variable of promptfoo with an unusual name": Case(
        {"t.yaml": "- vars: {topic: lamps, ask: A?, truth: x}\n"},
        f"{IMPORT} promptfoo t.yaml {OUT}",
        "--column query=NAME",
        f"{IMPORT} promptfoo t.yaml {OUT} --column query=ask",
    ),
    "an option that is gone": Case(
        {"t.yaml": "- vars: {topic: lamps, ask: A?, truth: x}\n"},
        f"{IMPORT} promptfoo t.yaml {OUT} --query-var ask",
        "--column query=NAME",
        f"{IMPORT} promptfoo t.yaml {OUT} --column query=ask",
    ),
    "a golden set that cannot be changed in place": Case(
        {"g.csv": "id,question,truth,draft\na,A?,x,yes\n"},
        "dataset accept --all --file g.csv",
        "`ragate dataset import golden g.csv --output golden.jsonl`",
        f"{IMPORT} golden g.csv {OUT}",
    ),
    "outputs in fields of one's own": Case(
        {
            "g.jsonl": GOLDEN,
            "ragate.toml": REPLAY,
            "o/a.jsonl": '{"ticket": {"question": "A?"}, "said": {"reply": "It is x."}}\n',
        },
        "collect",
        "[system.pointers]",
        "collect",
        pasted=True,
    ),
    "a question that was answered twice": Case(
        {
            "g.jsonl": GOLDEN + GOLDEN.replace("a", "b").replace("A", "B"),
            "ragate.toml": REPLAY,
            "o/a.jsonl": '{"question": "A?", "answer": "x"}\n' * 2
            + '{"question": "B?", "answer": "x"}\n',
        },
        "collect",
        "number its `run` from 0",
        "collect",
    ),
}
NUMBERED = "".join(
    f'{{"question": "{question}?", "answer": "x", "run": {run}}}\n'
    for question, run in (("A", 0), ("A", 1), ("B", 0))
)
# What somebody writes into a file who reads the remedy.
MENDED = {"a question that was answered twice": ("o/a.jsonl", NUMBERED)}


@pytest.mark.parametrize("name", CASES)
def test_who_does_what_is_said_does_not_meet_the_same_error(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    case = CASES[name]
    monkeypatch.chdir(tmp_path)
    for path, text in case.files.items():
        (tmp_path / path).parent.mkdir(exist_ok=True)
        (tmp_path / path).write_text(text)

    assert run(shlex.split(case.arguments)) == 2
    told = "".join(capsys.readouterr())
    assert case.says in told.replace("\n     ", " ")
    error = told.splitlines()[0]
    if case.pasted:
        table = told[told.index("[system.pointers]") :].strip()
        (tmp_path / "ragate.toml").write_text(case.files["ragate.toml"] + table + "\n")
    if name in MENDED:
        path, text = MENDED[name]
        (tmp_path / path).write_text(text)

    run(shlex.split(case.then))

    assert error not in "".join(capsys.readouterr())
