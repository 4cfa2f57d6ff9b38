"""action.yml names the inputs, defaults, values and outputs of the code; a page is made of it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml

from ragate.github.event.inputs import CommentPolicy, FailOn, Inputs, Mode, read_inputs, variable
from ragate.github.publish.workflow_commands import NAMES
from ragate.models import Verdict
from ragate.removed import INPUTS

ROOT = Path(__file__).parents[3]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())
WORDS = {"mode": get_args(Mode), "comment": get_args(CommentPolicy), "fail-on": get_args(FailOn)}


class Variables(dict[str, str]):
    """No variables, and which of them were asked for, in order."""

    def get(self, name: str, default: Any = None) -> Any:
        return self.setdefault(name, default)


def test_inputs_of_the_action_are_those_that_the_code_reads() -> None:
    variables = Variables()
    read_inputs(variables)

    assert list(map(variable, ACTION["inputs"])) == [
        name for name in variables if name not in map(variable, INPUTS)
    ]


def test_outputs_of_the_action_are_those_of_the_code() -> None:
    assert tuple(ACTION["outputs"]) == NAMES


def test_the_actions_own_defaults_are_those_of_the_code() -> None:
    given = {
        variable(name): str(one.get("default", ""))
        for name, one in ACTION["inputs"].items()
        if name != "github-token"
    }

    assert read_inputs(given) == Inputs()
    assert ACTION["inputs"]["github-token"]["default"] == "${{ github.token }}"


def test_every_input_and_output_says_what_it_is_for() -> None:
    for part in ("inputs", "outputs"):
        for name, one in ACTION[part].items():
            assert len(one["description"]) > 15, name


@pytest.mark.parametrize("name", WORDS)
def test_the_words_of_an_input_are_told(name: str) -> None:
    for word in WORDS[name]:
        assert f"`{word}`" in ACTION["inputs"][name]["description"], word


def test_every_verdict_is_told() -> None:
    for word in (*(verdict.value for verdict in Verdict), "error", "collected"):
        assert f"`{word}`" in ACTION["outputs"]["verdict"]["description"]


def test_every_word_that_a_mode_may_say_is_told() -> None:
    sources = "\n".join(path.read_text() for path in (ROOT / "ragate/github").rglob("*.py"))
    said = set(re.findall(r'ended_as="([a-z_]+)"', sources))
    for constant in set(re.findall(r"ended_as=([A-Z]+)\b", sources)):
        said |= set(re.findall(rf'^{constant} = "([a-z_]+)"', sources, re.MULTILINE))

    assert {"collected", "recorded"} <= said
    told = ACTION["outputs"]["verdict"]["description"]
    assert [word for word in said if f"`{word}`" not in told] == []
