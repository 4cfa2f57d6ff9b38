"""The schema that editors read agrees with the reader of ragate.toml."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from ragate import plugins
from ragate.config import parse_config
from ragate.config.schema import config_schema
from ragate.errors import ConfigError
from ragate.settings import read_settings

ROOT = Path(__file__).parents[3]
SCHEMA = config_schema()
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])


def whole_configurations() -> list[str]:
    """Return what the manual prints of whole files: the blocks of TOML that can be read."""
    return [
        block
        for page in PAGES
        for block in re.findall(r"^```toml\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)
        if is_read(block)
    ]


def is_read(text: str) -> bool:
    try:
        system = parse_config(text, where="ragate.toml", root=ROOT).system
        model = plugins.settings_model("systems", system.use)
        if model is not None:
            read_settings(model, system.settings, where="[system]", strict=True)
    except ConfigError:
        return False
    return True


def mistakes(text: str) -> list[str]:
    validator = Draft202012Validator(SCHEMA)
    tables = json.loads(json.dumps(tomllib.loads(text), default=str))
    return [error.message for error in validator.iter_errors(tables)]


def test_it_is_a_json_schema():
    Draft202012Validator.check_schema(SCHEMA)


def test_our_own_configuration_keeps_it():
    assert mistakes((ROOT / "ragate.toml").read_text()) == []


def test_a_configuration_of_the_manual_keeps_it():
    for text in whole_configurations():
        assert mistakes(text) == [], text


WHOLE = """\
[policy]
dataset = "golden.jsonl"
baseline = "baseline.json"
systems = ["replay"]
{policy}
[policy.metrics."recall@10"]
{metric}
[system]
use = "replay"
paths = ["outputs.jsonl"]
{system}
"""


@pytest.mark.parametrize(
    "lines",
    [
        {"policy": "runz = 3"},
        {"policy": 'runs = "three"'},
        {"policy": "alpha = 0.7"},
        {"policy": '[policy.judge]\nuse = "rubric"\ntimeout_s = 0\n'},
        {"policy": '[policy.judge]\nprovider = "openai"\n'},
        {"metric": 'level = "fatal"'},
        {"metric": "max_drop = -1"},
        {"system": "pathh = 1"},
        {"system": "record = 1"},
    ],
    ids=lambda lines: next(iter(lines.values())),
)
def test_what_the_reader_refuses_by_its_types_the_schema_refuses(lines: dict[str, str]):
    text = WHOLE.format(**{"policy": "", "metric": "", "system": ""} | lines)

    assert not is_read(text)
    assert len(mistakes(text)) >= 1


def test_a_minimal_configuration_keeps_it():
    text = WHOLE.format(policy="", metric="", system="")

    assert is_read(text)
    assert mistakes(text) == []


def test_the_manual_prints_whole_configurations():
    assert len(whole_configurations()) >= 3


def test_every_system_has_its_keys():
    for name in plugins.names("systems"):
        model = plugins.settings_model("systems", name)
        branches = SCHEMA["properties"]["system"]["allOf"]
        keys = [
            branch["then"]["properties"].keys()
            for branch in branches
            if branch["if"]["properties"]["use"]["const"] == name
        ]

        assert model is not None, name
        assert keys == [{"use", *model.model_fields}], name


def test_every_metric_is_known_with_and_without_a_cut_off():
    for name in plugins.names("metrics"):
        patterns = SCHEMA["properties"]["policy"]["properties"]["metrics"]["patternProperties"]
        matching = [key for key in patterns if re.search(key, name)]

        assert len(matching) == 1, name
        assert re.search(matching[0], f"{name}@10"), name


def test_keys_say_what_they_mean():
    rules = SCHEMA["properties"]["policy"]["properties"]["metrics"]["additionalProperties"]

    assert rules["properties"]["max_increase"]["description"].startswith("Share by which")


def test_a_system_of_ones_own_is_taken_as_it_is():
    text = WHOLE.format(policy="", metric="", system="")

    assert mistakes(text.replace('use = "replay"', 'use = "mine.rag"\ncolour = "red"')) == []


def test_nothing_that_toml_cannot_say_is_offered():
    assert '"null"' not in json.dumps(SCHEMA)
