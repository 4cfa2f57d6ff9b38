"""Names of folders and programs come out of a workflow as they went in."""

from __future__ import annotations

import subprocess
import tomllib
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

import pytest
import yaml

from ragate.cli.init.action_workflows import action_workflows, plain_text
from ragate.cli.init.config_text import Choice, config_text
from ragate.cli.quoting import glob_text, literal, quoted, shell_word, yaml_text
from ragate.cli.workflows import gates_of
from ragate.errors import UsageError

COMMIT = "c0ffee" * 6 + "c0ff"
NAMES = (
    "apps/help desk",
    "it's",
    'a "b"',
    "key: value",
    "a #b",
    "{{ x }}",
    "${{ secrets.KEY }}",
    "$HOME;`id`",
    "back\\slash",
    "true",
    "1.0",
    "- a",
    "*[a]?",
    "größe/日本",
    "@GATE@ << gate >>",
)
UNSEEN = ("two\nlines", "bell\x07\x85\U000e0001", "not UTF-8 \udcff")


def as_github(text: str) -> str:
    """Evaluate the one expression that is written for a name; every other one is a mistake."""
    parts = text.split("${{ '${{' }}")
    assert not any("${{" in part for part in parts), text
    return "${{".join(parts)


def stub(path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text('#!/bin/bash\nprintf "%s\\0" "${0##*/}" "$@" >> "$LOG"\n')
    path.chmod(0o755)


def typed(line: str, root: Path) -> list[str]:
    """Run a step's lines in bash, and return the words that its programs were given."""
    log = root / "log"
    for name in ("python", "pip", "ragate"):
        stub(root / "bin" / name)
    stub(root / "runner/ragate/bin/pip")
    log.unlink(missing_ok=True)
    environment = {
        "PATH": f"{root}/bin:/usr/bin:/bin",
        "LOG": str(log),
        "RUNNER_TEMP": str(root / "runner"),
        "GITHUB_PATH": str(root / "path"),
        "GITHUB_RUN_ATTEMPT": "1",
    }
    done = subprocess.run(
        ["bash", "-e", "-c", as_github(line)],
        cwd=root,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return log.read_bytes().decode().split("\0")


def steps(text: str) -> list[dict[str, Any]]:
    return [step for job in yaml.safe_load(text)["jobs"].values() for step in job["steps"]]


@pytest.mark.parametrize("name", NAMES)
def test_a_name_is_one_value_of_yaml_and_one_word_of_bash(name: str, tmp_path: Path) -> None:
    line = f"key: {yaml_text(name)}\nrun: >-\n  ragate {literal(shell_word(name))}\n"
    loaded = yaml.safe_load(line)

    assert as_github(loaded["key"]) == name
    assert typed(loaded["run"], tmp_path) == ["ragate", name, ""]
    assert tomllib.loads(f"key = {quoted(name)}") == {"key": name}


@pytest.mark.parametrize("name", NAMES)
def test_the_folder_reaches_the_program_of_every_step(name: str, tmp_path: Path) -> None:
    own = f"{name}/.venv/bin/python"
    choice = Choice("python", "", settings={"target": "a:b", "interpreter": [own]}, packages=".")
    texts = action_workflows(choice, gate="g", commit=COMMIT, folder=name)
    stub(tmp_path / name / name / ".venv/bin/pip")

    for file in ("ragate-collect.yml", "ragate-main.yml"):
        lines = [step["run"] for step in steps(texts[file]) if "run" in step]
        install = next(line for line in lines if "/.venv" in line)
        *program, folder = typed(install, tmp_path)[:4]
        assert program == ["python", "-m", "venv"]
        assert folder.removeprefix("./") == f"{name}/{name}/.venv"
        words = typed(lines[-1], tmp_path)
        assert words[words.index("--working-directory") + 1] == name
    for file, text in texts.items():
        assert {gate.folder for gate in gates_of(text)} == {name}, file


@pytest.mark.parametrize("name", NAMES)
def test_outputs_are_read_where_they_were_unpacked(name: str) -> None:
    texts = action_workflows(Choice("python", ""), gate="g", commit=COMMIT, folder=name)
    upload = next(each["with"] for each in steps(texts["ragate-collect.yml"]) if "if" in each)
    download, decide, *_ = (each["with"] for each in steps(texts["ragate-decide.yml"]))
    pattern = upload["path"].splitlines()[0]
    made = f"{name}/ragate-outputs-1.jsonl"

    # Of two patterns an artifact keeps the folders below the one that both are in: the root.
    unpacked = f"{as_github(download['path'])}/{made}"
    folder = as_github(decide["working-directory"])
    assert f"{folder}/{as_github(decide['outputs-path'])}" == unpacked.rpartition("/")[0]
    assert "\n" not in pattern
    assert fnmatchcase(made, pattern)


@pytest.mark.parametrize("name", NAMES)
def test_the_plain_workflow_names_the_configuration_and_the_documents(name: str) -> None:
    text = plain_text(Choice("pgvector", name), folder=name)
    (job,) = yaml.safe_load(text)["jobs"].values()
    cache = next(step["with"] for step in job["steps"] if "cache" in step.get("uses", ""))

    assert as_github(job["env"]["RAGATE_CONFIG"]) == f"{name}/ragate.toml"
    assert fnmatchcase(f"{name}/.ragate/postgres", cache["path"])
    assert [gate.folder for gate in gates_of(text)] == [name]


@pytest.mark.parametrize("name", UNSEEN)
def test_a_folder_whose_name_is_not_seen_is_in_no_workflow(name: str) -> None:
    for choice in (Choice("python", ""), Choice("pgvector", "docs")):
        with pytest.raises(UsageError, match="no command can name it"):
            plain_text(choice, folder=name)
        with pytest.raises(UsageError, match="no command can name it"):
            action_workflows(choice, gate="g", commit=COMMIT, folder=name)


@pytest.mark.parametrize("name", [*NAMES, *UNSEEN[:2]])
def test_the_configuration_names_folder_and_interpreter(name: str) -> None:
    settings = {"target": "a:b", "interpreter": [f"{name}/python"], "doc_id_relative_to": name}
    text = config_text(Choice("llamaindex", name, gate="g", settings=settings), [])

    system = tomllib.loads(text)["system"]
    assert (system["interpreter"], system["doc_id_relative_to"]) == ([f"{name}/python"], name)


def test_a_plain_name_stands_without_quotes() -> None:
    assert yaml_text("apps/help") == "apps/help"
    assert glob_text("apps/help") == "apps/help"
    assert shell_word("apps/help") == "apps/help"
