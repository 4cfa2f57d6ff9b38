"""Extensions of others: what they bring is found, and what cannot be is said in one line."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from ragate import extension
from ragate.answers import ready_system
from ragate.cli.commands import db
from ragate.cli.group import COMMANDS as COMMANDS_OF_RAGATE
from ragate.cli.main import run
from ragate.errors import ConfigError, NotInstalledError, UsageError
from ragate.extension import Extension
from ragate.resources.operations import read_operations
from ragate.stores.local import open_store
from tests.projects import ReplayProject

GREETS = """
import click
from pydantic import BaseModel
from ragate.extension import Extension
from ragate.answers import ready_system

class Greeting(BaseModel):
    word: str = "hello"

@click.command()
def command():
    click.echo("hello")
"""


STORE = """
from ragate.errors import DatabaseError
from ragate.stores.listed_run import ListedRun, RunStatus
from ragate.stores.local import LocalStore

class Kept(LocalStore):
    def __init__(self, operations):
        super().__init__(operations.state)
        self._operations = operations

    def listed(self):
        name = f"of {self._operations.runs_url}"
        yield ListedRun(name, self.folder(name), RunStatus.PASSED)

    def reach(self):
        if self._operations.runs_url == "memory://away":
            raise DatabaseError("it is not there")
        if self._operations.runs_url == "memory://broken":
            raise KeyError("bucket")

    def send(self, folder):
        if self._operations.runs_url == "memory://gone":
            raise ConnectionError("it went away")
        self._operations.say(f"it has got {folder.name}")
"""


def install(folder: Path, package: str, manifest: str, *, group: str = extension.GROUP) -> None:
    """Install a package whose module `package` holds the manifest's arguments."""
    (folder / f"{package}.py").write_text(f"{GREETS}\nEXTENSION = Extension({manifest})\n")
    facts = folder / f"{package}-1.0.dist-info"
    facts.mkdir(parents=True)
    (facts / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    (facts / "entry_points.txt").write_text(f"[{group}]\n{package} = {package}:EXTENSION\n")


def ragate(
    folder: Path, *arguments: str, root: Path | None = None, env: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command with what is installed in a folder."""
    return subprocess.run(
        [sys.executable, "-P", "-m", "ragate", *arguments],
        cwd=root or folder,
        env={"PYTHONPATH": str(folder), "PATH": "", "CI": "1", **(env or {})},
        capture_output=True,
        text=True,
    )


def refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return what is said of packages in a folder that cannot be used, and what to do."""
    monkeypatch.syspath_prepend(folder)
    with pytest.raises(UsageError) as caught:
        extension.found.__wrapped__()  # the cache holds what this process has
    return f"{caught.value.message} -> {caught.value.remedy}"


def test_a_command_of_a_package_is_listed_and_runs(tmp_path: Path) -> None:
    commands = '"greet": ("greets:command", "Say hello."), "dataset greet": ("greets:command", "")'
    install(tmp_path, "greets", f'"greets", commands={{{commands}}}')

    assert "Say hello." in ragate(tmp_path, "--help").stdout
    assert ragate(tmp_path, "greet").stdout == "hello\n"
    assert ragate(tmp_path, "dataset", "greet").stdout == "hello\n"


def test_a_command_of_a_package_below_db_stands_after_those_of_ragate(tmp_path: Path) -> None:
    install(tmp_path, "greets", '"greets", commands={"db greet": ("greets:command", "Say hello.")}')

    lines = ragate(tmp_path, "db", "--help").stdout.partition("Commands:\n")[2].splitlines()

    assert [line.split()[0] for line in lines][:2] == ["status", "stop"]
    assert "Say hello." in lines[-1]
    assert ragate(tmp_path, "db", "greet").stdout == "hello\n"


def test_a_store_of_a_package_lists_runs_of_elsewhere(tmp_path: Path) -> None:
    root, installed = tmp_path / "project", tmp_path / "installed"
    root.mkdir()
    installed.mkdir()
    ReplayProject(root)
    (installed / "kept.py").write_text(STORE)
    install(installed, "greets", '"greets", stores={"memory": "kept:Kept"}')

    listed = ragate(installed, "runs", "list", root=root, env={"RAGATE_RUNS_URL": "memory://one"})
    checked = ragate(installed, "check", root=root, env={"RAGATE_RUNS_URL": "memory://one"})

    assert listed.stdout.startswith("of memory://one"), listed.stderr
    assert checked.stderr.count("it has got ") == 1, checked.stderr


@pytest.fixture
def asking(tmp_path: Path) -> Path:
    """A project whose system leaves the file `asked`, and an installed store beside it."""
    (tmp_path / "golden.jsonl").write_text('{"id": "q", "query": "Why?", "references": ["So"]}\n')
    (tmp_path / "bot.py").write_text(
        "def answer(query):\n    open('asked', 'w').close()\n    return 'So'\n"
    )
    (tmp_path / "ragate.toml").write_text(
        '[policy]\ndataset = "golden.jsonl"\nbaseline = "b.json"\nsystems = ["python"]\n'
        '[policy.metrics.exact_match]\nlevel = "error"\n'
        '[system]\nuse = "python"\ntarget = "bot:answer"\n'
    )
    installed = tmp_path / "installed"
    installed.mkdir()
    (installed / "kept.py").write_text(STORE)
    install(installed, "greets", '"greets", stores={"memory": "kept:Kept"}')
    return tmp_path


COMMANDS = [["check"], ["collect"], ["baseline", "update"]]


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("memory://away", "it is not there"),
        ("memory://broken", "RAGATE_RUNS_URL: the run store failed: KeyError: 'bucket'"),
    ],
)
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_store_of_a_package_that_cannot_be_used_is_said_before_anything_is_asked(
    asking: Path, command: list[str], url: str, told: str
) -> None:
    done = ragate(asking / "installed", *command, root=asking, env={"RAGATE_RUNS_URL": url})

    assert done.returncode == 3, done.stderr
    assert told in done.stderr
    assert "bug" not in done.stderr
    assert not (asking / "asked").exists()


@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_store_of_a_package_that_goes_in_the_middle_changes_no_verdict(
    asking: Path, command: list[str]
) -> None:
    away = {"RAGATE_RUNS_URL": "memory://gone"}
    done = ragate(asking / "installed", *command, root=asking, env=away)
    run_id = next((asking / ".ragate/runs").iterdir()).name
    (asking / "b.json").unlink(missing_ok=True)
    alone = ragate(asking / "installed", *command, root=asking)

    lacks = f"warning: the run store lacks the run {run_id}: ConnectionError('it went away')"
    assert done.stderr.count(lacks) == 1, done.stderr
    assert "bug" not in done.stderr
    assert done.returncode == alone.returncode
    assert (asking / "asked").exists()


def test_an_address_at_which_nothing_keeps_runs_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extension, "extensions", lambda: (Extension("x", stores={"s3": "a:b"}),))
    operations = read_operations(tmp_path, {"RAGATE_RUNS_URL": "memory://one"})

    with pytest.raises(ConfigError, match="RAGATE_RUNS_URL: nothing that is installed keeps runs"):
        open_store(operations)


def test_a_table_of_a_package_is_read_and_one_of_none_is_an_error(tmp_path: Path) -> None:
    ReplayProject(tmp_path)
    config = tmp_path / "ragate.toml"
    config.write_text(config.read_text() + '\n[greeting]\nwords = "good morning"\n')

    absent = ragate(tmp_path, "dataset", "validate")
    install(tmp_path, "greets", '"greets", tables={"greeting": "greets:Greeting"}')
    wrong = ragate(tmp_path, "schema")

    assert absent.returncode == 2
    assert "unknown table or key 'greeting' at the top" in absent.stderr
    assert "install what brings [greeting]" in absent.stderr
    assert '"greeting"' in wrong.stdout


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ('"same"', '"same"'),
        ('"one", commands={"greet": ("a:b", "")}', '"two", commands={"greet": ("a:b", "")}'),
        ('"one", tables={"greeting": "a:b"}', '"two", tables={"greeting": "a:b"}'),
        ('"one", stores={"s3": "a:b"}', '"two", stores={"s3": "a:b"}'),
        ('"one", plugins={"metrics": {"m": "a:b"}}', '"two", plugins={"metrics": {"m": "a:b"}}'),
    ],
)
def test_what_two_packages_bring_is_an_error_that_names_both(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: str, second: str
) -> None:
    install(tmp_path, "greets", first)
    install(tmp_path, "welcomes", second)

    said = refused(tmp_path, monkeypatch)

    assert "is brought twice" in said
    assert "the package greets 1.0" in said
    assert "pip uninstall welcomes" in said


@pytest.mark.parametrize(
    ("manifest", "said"),
    [
        ('"x", commands={"runs show": ("a:b", "")}', "would stand below 'runs', which takes none"),
        ('"x", tables={"policy": "a:b"}', "the table [policy], which is ragate's own"),
        ("missing", "names greets:EXTENSION, which cannot be imported: name 'missing'"),
        ('"x") and str(', "which is no ragate.extension.Extension"),
    ],
)
def test_what_cannot_be_used_says_why(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, manifest: str, said: str
) -> None:
    install(tmp_path, "greets", manifest)

    assert said in refused(tmp_path, monkeypatch)


@pytest.mark.parametrize(
    ("manifest", "command", "said"),
    [
        ('commands={"check": ("a:b", "")}', "--help", "the command 'check', which is ragate's own"),
        ('plugins={"systems": {"http": "a:b"}}', "schema", "the system 'http', which is ragate's"),
    ],
)
def test_what_ragate_brings_itself_ends_with_2_and_says_so(
    tmp_path: Path, manifest: str, command: str, said: str
) -> None:
    install(tmp_path, "greets", f'"x", {manifest}')

    done = ragate(tmp_path, command)

    assert done.returncode == 2
    assert said in done.stderr
    assert "\n  -> " in done.stderr


def test_another_version_of_the_group_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "greets", '"greets"', group="ragate.extensions.v2")

    said = "the package greets 1.0 wants ragate.extensions.v2"
    assert said in refused(tmp_path, monkeypatch)


def test_a_module_that_is_not_installed_is_named_with_what_installs_it() -> None:
    with pytest.raises(NotInstalledError, match="needs the module no_such_module") as caught:
        extension.loaded(Extension("x", extra="otel"), "no_such_module:thing")

    assert "[otel]" in caught.value.remedy


def test_a_name_that_is_not_there_is_an_error() -> None:
    with pytest.raises(UsageError, match="x names json:nothing, and there is none"):
        extension.loaded(Extension("x"), "json:nothing")


def test_a_command_that_nobody_brings_is_said_with_what_is_absent(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(extension, "absent", lambda: ("otel",))

    assert run(["greet"]) == 2
    assert "; without ragate.contrib: otel\n" in capsys.readouterr().err


def test_calls_that_nothing_here_records_are_no_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "golden.jsonl").write_text('{"id": "q", "query": "Why?", "references": ["So"]}\n')
    (tmp_path / "bot.py").write_text("def answer(query):\n    return 'So'\n")
    (tmp_path / "ragate.toml").write_text(
        '[policy]\ndataset = "golden.jsonl"\nbaseline = "b.json"\nsystems = ["python"]\n'
        '[policy.metrics.exact_match]\nlevel = "error"\n'
        '[system]\nuse = "python"\ntarget = "bot:answer"\nrecord = true\n'
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(ready_system, "system_hooks", lambda _config: [])

    assert run(["collect"]) == 2
    assert "record = true: nothing that is installed records calls" in capsys.readouterr().err


def test_the_help_of_db_promises_nothing_that_an_extension_brings() -> None:
    assert db.command.help == "Show or stop the embedded Postgres."
    assert COMMANDS_OF_RAGATE["db"][1] == db.command.help
