"""What an earlier version had is refused with one line that says what to do instead."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ragate import plugins, removed
from ragate.cli.main import run
from ragate.config import parse_config
from ragate.errors import ConfigError, PluginError, UsageError
from ragate.github.event.inputs import read_inputs

INSTEAD = "write something else"
CONFIG = """[policy]
dataset = "golden.jsonl"
baseline = "baseline.json"
systems = ["python"]
[policy.metrics.token_f1]
[system]
use = "python"
target = "rag:ask"
"""


@pytest.mark.parametrize("words", removed.COMMAND_LINE)
def test_a_command_or_option_that_is_gone_ends_with_2_and_one_line(
    words: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    arguments = words.split()
    if words.startswith("-"):
        arguments = ["check", *arguments]

    assert run(arguments) == 2

    said = capsys.readouterr().err
    assert said.startswith("ragate: `")
    assert "` is gone: " in said
    assert said.count("\n") == 1
    assert "did you mean" not in said


def test_an_option_is_found_by_its_command_and_its_value_too(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(
        removed, "COMMAND_LINE", {"check --control": INSTEAD, "--format sarif": INSTEAD}
    )
    gone = removed.gone_from_command_line

    assert gone(["check", "--control=base.jsonl"]) == f"`ragate check --control` is gone: {INSTEAD}"
    assert gone(["report", "latest", "--format", "sarif"])
    assert not gone(["collect", "--control", "x"])
    assert not gone(["report", "--format", "html"])


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("policy.old", CONFIG.replace("[policy.metrics", "old = 1\n[policy.metrics")),
        ("policy.metrics.*.old", CONFIG.replace("token_f1]", "token_f1]\nold = 1")),
        ("old", f"{CONFIG}[old]\nx = 1\n"),
    ],
)
def test_a_key_that_is_gone_names_its_table_and_what_to_write(
    key: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ConfigError, match=r"unknown (table or )?key 'old'"):
        parse_config(text, where="ragate.toml", root=Path.cwd())
    monkeypatch.setattr(removed, "KEYS", {key: INSTEAD})

    with pytest.raises(ConfigError, match=f"old is gone: {INSTEAD}"):
        parse_config(text, where="ragate.toml", root=Path.cwd())


def test_a_metric_that_is_gone_is_told_with_any_cut_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(removed, "PLUGINS", {"metrics old": INSTEAD})

    with pytest.raises(PluginError, match=f"metric 'old' is gone: {INSTEAD}"):
        plugins.locate("metrics", "old")
    assert removed.gone_plugin("metrics", "old@5")


def test_an_input_that_is_gone_names_the_workflow(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(removed.INPUTS, "old", INSTEAD)
    workflow = "o/r/.github/workflows/gate.yml"
    environ = {"INPUT_OLD": "3", "GITHUB_WORKFLOW_REF": f"{workflow}@refs/heads/main"}

    with pytest.raises(UsageError, match=re.escape(f"{workflow}: input old is gone: {INSTEAD}")):
        read_inputs(environ)
    assert read_inputs({"INPUT_OLD": ""}).mode == "check"


@pytest.mark.parametrize("name", removed.INPUTS)
def test_a_workflow_of_an_earlier_version_ends_with_2_and_is_named(name: str) -> None:
    environ = {
        f"INPUT_{name.upper()}": "4",
        "GITHUB_WORKFLOW_REF": "o/r/.github/workflows/ragate.yml@refs/pull/7/merge",
    }

    with pytest.raises(UsageError) as caught:
        read_inputs(environ)

    assert caught.value.exit_code == 2
    assert caught.value.message.startswith("o/r/.github/workflows/ragate.yml: input ")
