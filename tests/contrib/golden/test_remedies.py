"""What an error says to do is done: the error is gone then, or it is another one."""

from __future__ import annotations

import ast
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from ragate.cli.group import cli
from ragate.cli.main import run
from tests.contrib.golden.remedy_cases import CASES, Case
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


def unknown_of(line: str) -> set[str]:
    """Return what is unknown of a command line: its command, or options of it."""
    words = line.split()
    group: click.Command = cli
    while words and isinstance(group, click.Group):
        if not re.fullmatch(r"[a-z][a-z-]*", words[0]):
            return set()  # a value stands in place of the command
        found = group.get_command(click.Context(group), words[0])
        if found is None:
            return {words[0]}
        group, words = found, words[1:]
    known = {name for option in group.params for name in (*option.opts, *option.secondary_opts)}
    options = {word.partition("=")[0] for word in words if re.fullmatch(r"--[a-z-]+(=.*)?", word)}
    return options - {*known, "--help", "--version"}


def test_a_command_that_is_named_is_there_with_its_options() -> None:
    lines = commands()

    assert len(lines) > 30
    assert {line: unknown for line in lines if (unknown := unknown_of(line))} == {}


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


def fails(case: Case, folder: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """Write a case's files, run its command, and return what it says."""
    for path, text in case.files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text)
    if case.before:
        run(shlex.split(case.before))
        capsys.readouterr()
    for path, text in (case.adds or {}).items():
        with (folder / path).open("a") as file:
            file.write(text)
    assert run(shlex.split(case.arguments)) == 2
    return "".join(capsys.readouterr())


@pytest.mark.parametrize("name", CASES)
def test_who_does_what_is_said_does_not_meet_the_same_error(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    case = CASES[name]
    monkeypatch.chdir(tmp_path)
    told = fails(case, tmp_path, capsys)
    assert case.says in told.replace("\n     ", " ")
    lines = told.splitlines()
    error = next((line for line in lines if line.startswith("ragate: ")), lines[0])
    if case.pasted:
        table = told[told.index("[system.pointers]") :].strip()
        (tmp_path / "ragate.toml").write_text(case.files["ragate.toml"] + table + "\n")
    for path, text in (case.mends or {}).items():
        (tmp_path / path).write_text(text)

    run(shlex.split(case.then))

    assert error not in "".join(capsys.readouterr())


# Met by whoever forges the head of a shard, with the hash of its lines.
OF_FORGERS = "the file is not what `ragate collect --shard` wrote: collect it again"
# Rooms whose every remedy with a command, an option or a key has a case above.
ROOMS = (
    *("ragate/dataset", "ragate/outputs", "ragate/tables", "ragate/scores"),
    *("ragate/contrib/golden/importers", "ragate/contrib/golden/importing.py"),
    *("ragate/contrib/golden/plausible.py", "ragate/contrib/golden/commands/importing.py"),
)


def spelt_out(value: ast.AST, tree: ast.Module) -> Iterator[str]:
    """Yield the texts of a remedy; of a name or a function of its module, what that holds."""
    yield from texts(value)
    named = {node.id for node in ast.walk(value) if isinstance(node, ast.Name)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and named & {ast.unparse(each) for each in node.targets}:
            yield from texts(node.value)
        elif isinstance(node, ast.FunctionDef) and node.name in named:
            returned = (each for each in ast.walk(node) if isinstance(each, ast.Return))
            yield from (text for each in returned for text in texts(each))


# A command, a table or a key of ragate's, beside options and keys that are known by their names.
NAMED = re.compile(
    r"`ragate [a-z ]+`|`decide`|ragate [a-z]+ --|\[(?:system|policy)\b|(?:^| )[a-z]+ = "
)


def remedies_to_follow() -> Iterator[tuple[str, str]]:
    """Yield place and text of each remedy that names a command, an option or a key of ours."""
    tables = configuration.context()["tables"]
    keys = {key.name for table in tables for key in table.keys if "_" in key.name}
    for path, tree in modules().items():
        if not path.as_posix().startswith(ROOMS):
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.keyword) and node.arg in {"remedy", "ways"}:
                for text in spelt_out(node.value, tree):
                    words = {*re.findall(r"(?<![\w-])--[a-z][\w-]+", text)} - OF_OTHERS
                    words |= keys & {*re.findall(r"\w+", text)}
                    if text != OF_FORGERS and (words or NAMED.search(text)):
                        yield f"{path}:{node.value.lineno}", text


def test_every_remedy_of_the_readers_has_a_case(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    told = ""
    for number, case in enumerate(CASES.values()):
        folder = tmp_path / str(number)
        folder.mkdir()
        monkeypatch.chdir(folder)
        told += " ".join(fails(case, folder, capsys).split())

    def was_printed(text: str) -> bool:
        parts = [re.escape(" ".join(part.split())) for part in re.split("\0|{name}", text)]
        return re.search(".*?".join(parts), told) is not None

    found = list(remedies_to_follow())
    assert len(found) > 30
    assert [f"{place}: {text}" for place, text in found if not was_printed(text)] == []
