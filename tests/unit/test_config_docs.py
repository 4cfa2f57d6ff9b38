"""The pages that list keys against the types: every key, once, with its default."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from ragate import plugins
from ragate.clients.prices import Price
from ragate.config import Execution, JudgeSettings, Policy, Profile, Provider
from ragate.config.scorecard import ScorecardTable, StageTable
from ragate.models import PassRule, Rule, Slice, Waiver
from ragate.systems.http.settings import PrepareStep

DOCS = Path(__file__).parents[2] / "docs"
TEXT = (DOCS / "configuration.md").read_text(encoding="utf-8")
SECTIONS = dict(
    zip(
        re.findall(r"^## (.+)$", TEXT, re.MULTILINE),
        re.split(r"^## .+$", TEXT, flags=re.MULTILINE)[1:],
        strict=True,
    )
)
ROW = re.compile(r"^\| `(\w+)` \| .+? \| (.+?) \| .+ \|$", re.MULTILINE)
TABLES: list[tuple[str, type[BaseModel], set[str]]] = [
    (
        "`[policy]`",
        Policy,
        {
            "providers",
            "judge",
            "execution",
            "metrics",
            "scorecard",
            "slices",
            "waivers",
            "profiles",
        },
    ),
    ("`[policy.metrics.<name>]`", Rule, {"metric"}),
    ("`[policy.metrics.<name>.pass_rate]`", PassRule, set()),
    ("`[policy.scorecard]`", ScorecardTable, {"stages", "pass_rate", "overall_score"}),
    ("`[policy.scorecard.stages.<name>]`", StageTable, set()),
    ("`[[policy.waivers]]`", Waiver, set()),
    ("`[[policy.slices]]`", Slice, set()),
    ("`[policy.profiles.<name>]`", Profile, set()),
    ("`[policy.providers.<name>]`", Provider, set()),
    ("`[policy.judge]`", JudgeSettings, {"settings"}),
    ("`[policy.execution]`", Execution, set()),
    ("`[policy.providers.<name>.prices.<model>]`", Price, set()),
]
for _name in plugins.names("systems"):
    _model = plugins.settings_model("systems", _name)
    assert _model is not None, f"{_name} has no Settings"
    TABLES.append((f"`[system]` of `{_name}`", _model, set()))
    TABLES += [
        (f"`[system.{key}]` of `{_name}`", field.annotation, set())
        for key, field in _model.model_fields.items()
        if isinstance(field.annotation, type) and issubclass(field.annotation, BaseModel)
    ]
TABLES.append(("`[[system.prepare]]`", PrepareStep, set()))
for _name in plugins.names("judges"):
    _model = plugins.settings_model("judges", _name)
    assert _model is not None, f"{_name} has no Settings"
    TABLES.append((f"Judge `{_name}`", _model, set()))
for _name in plugins.names("rerankers"):
    _model = plugins.settings_model("rerankers", _name)
    assert _model is not None, f"{_name} has no Settings"
    TABLES.append((f"Reranker `{_name}`", _model, set()))
for _name in plugins.names("embedders"):
    _model = plugins.settings_model("embedders", _name)
    assert _model is not None, f"{_name} has no Settings"
    TABLES.append((f"Embedder `{_name}`", _model, set()))


def default_of(field: FieldInfo) -> str:
    value: Any = field.default
    if field.is_required():
        return "required"
    if value is None:
        return "none"
    if isinstance(value, BaseModel):
        return "a table"
    if isinstance(value, str) and "{{" in value:
        return "a template"
    if isinstance(value, str) and len(value) > 20 and " " in value:
        return "a sentence"
    return f"`{json.dumps(value)}`"


@pytest.mark.parametrize(("heading", "model", "apart"), TABLES, ids=[row[0] for row in TABLES])
def test_every_key_is_documented_with_its_default(
    heading: str, model: type[BaseModel], apart: set[str]
) -> None:
    written = model.model_json_schema()["properties"].keys()  # others come from somewhere else
    expected = {
        key: default_of(field)
        for key, field in model.model_fields.items()
        if key in written and key not in apart
    }

    assert dict(ROW.findall(SECTIONS[heading])) == expected


def test_the_tables_of_the_policy_have_sections_of_their_own() -> None:
    assert {"`[policy.metrics.<name>]`", "`[[policy.waivers]]`"} <= set(SECTIONS)
    assert "`[policy.providers.<name>]`" in SECTIONS


OWN_KEYS = re.findall(r"^\| (.+?) \| `(\w+)` \|", SECTIONS["Own keys of metrics"], re.MULTILINE)


@pytest.mark.parametrize(("metrics", "key"), OWN_KEYS)
def test_a_documented_key_of_a_metric_is_declared(metrics: str, key: str) -> None:
    for name in re.findall(r"`(\w+)(?:@k)?`", metrics):
        assert key in getattr(plugins.settings_model("metrics", name), "model_fields", ()), name


@pytest.mark.parametrize("metric", plugins.names("metrics"))
def test_the_own_keys_of_metrics_are_documented(metric: str) -> None:
    model = plugins.settings_model("metrics", metric)
    section = SECTIONS["Own keys of metrics"]

    for key in model.model_fields if model is not None else ():
        assert re.search(rf"^\| .*`{metric}[`@].* \| `{key}` \|", section, re.MULTILINE), key
