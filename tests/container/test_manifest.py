"""action.yml: what it declares, and that the code agrees with it."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml

from ragate.github.event.inputs import Inputs, read_inputs
from ragate.github.publish.workflow_commands import NAMES
from tests.container.images import ROOT
from tests.container.variables import input_variable, read_action

MANIFEST: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))


def test_no_input_is_handed_to_a_command_line():
    assert MANIFEST["runs"] == {"using": "docker", "image": "Dockerfile"}


@pytest.mark.parametrize("kind", ["inputs", "outputs"])
def test_each_name_is_in_kebab_case_and_described_in_whole_sentences(kind: str):
    for name, spec in MANIFEST[kind].items():
        assert re.fullmatch(r"[a-z]+(-[a-z]+)*", name)
        assert spec["description"].endswith(".")


def test_every_input_has_a_default_and_none_is_required():
    for spec in MANIFEST["inputs"].values():
        assert isinstance(spec["default"], str)
        assert "required" not in spec


def test_the_defaults_are_those_of_the_code():
    values = read_action(ROOT).values({}, token="")

    assert read_inputs({input_variable(name): value for name, value in values.items()}) == Inputs()


def test_the_declared_outputs_are_those_that_the_code_writes():
    assert list(MANIFEST["outputs"]) == list(NAMES)


def test_the_action_has_a_face_on_the_marketplace():
    assert set(MANIFEST["branding"]) == {"icon", "color"}
    assert len(MANIFEST["description"]) <= 125
