"""The JSON Schema of ragate.toml, for editors: completion, hints, and wrong keys underlined.

It is made from the types that read the file, so it knows what they know. What a type cannot tell
(a metric without a judge, a floor out of range, a path out of the project) stays the reader's.
"""

import inspect
import re
from typing import Any, Literal

from pydantic import BaseModel
from pydantic.json_schema import GenerateJsonSchema, models_json_schema

from ragate import plugins
from ragate.config.model import JudgeSettings, Policy
from ragate.config.read import brought_tables
from ragate.config.scorecard import ScorecardTable
from ragate.models import Rule

Schema = dict[str, Any]
_REF = "#/$defs/"
_NAMED = {"properties", "patternProperties"}  # what hangs on these are names, not words of a schema
_ATTRIBUTE = re.compile(r"^ {4}([a-z_0-9]+(?:, [a-z_0-9]+)*): (.+(?:\n {8}.+)*)", re.MULTILINE)
_LINK = re.compile(r"\[([^\]]+)\]\([^)]+\)")


def config_schema() -> Schema:
    """Return the schema of a whole ragate.toml (JSON Schema 2020-12), ready for ``json.dumps``.

    Keys of systems, judges and metrics that are not built in are taken as they are.
    """
    systems, judges, metrics = (_settings(kind) for kind in ("systems", "judges", "metrics"))
    found = [model for table in (systems, judges, metrics) for model in table.values() if model]
    shared: list[type[BaseModel]] = [Policy, Rule, JudgeSettings, ScorecardTable]
    brought = brought_tables()
    models: list[type[BaseModel]] = list(dict.fromkeys([*shared, *found, *brought.values()]))
    refs, combined = models_json_schema(
        [(model, "validation") for model in models], schema_generator=_Described
    )
    defs = {name: _for_toml(schema) for name, schema in combined.get("$defs", {}).items()}
    tables = {model: defs[refs[model, "validation"]["$ref"].removeprefix(_REF)] for model in models}
    policy = tables[Policy]
    policy["properties"]["judge"] = _chosen(judges, tables, shared=tables[JudgeSettings])
    policy["properties"]["scorecard"] = tables[ScorecardTable]
    policy["properties"]["metrics"] = _metric_tables(metrics, tables)
    # A preset of scorecards brings its metrics along.
    policy["required"] = [key for key in policy["required"] if key != "metrics"]
    policy["anyOf"] = [{"required": ["metrics"]}, {"required": ["scorecard"]}]
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "ragate.toml",
        "type": "object",
        "required": ["policy", "system"],
        "additionalProperties": False,
        "properties": {
            "policy": policy,
            "system": _chosen(systems, tables),
            **{name: tables[model] for name, model in brought.items()},
        },
        "$defs": _reached(defs, policy, *tables.values()),
    }


def _settings(kind: Literal["systems", "judges", "metrics"]) -> dict[str, type[BaseModel] | None]:
    return {name: plugins.settings_model(kind, name) for name in plugins.names(kind)}


def _metric_tables(
    metrics: dict[str, type[BaseModel] | None], tables: dict[type[BaseModel], Schema]
) -> Schema:
    """Return the schema of ``[policy.metrics]``: a rule for each metric, with the metric's keys."""
    rule = {key: value for key, value in tables[Rule]["properties"].items() if key != "metric"}
    foreign = {"type": "object", "properties": rule}
    built_in = {
        rf"^{name}(@[0-9]+)?$": _object(rule | tables[model]["properties"]) if model else foreign
        for name, model in metrics.items()
    }
    return {
        "type": "object",
        "description": tables[Rule]["description"],
        "patternProperties": built_in,
        "additionalProperties": foreign,
    }


def _chosen(
    plugin_settings: dict[str, type[BaseModel] | None],
    tables: dict[type[BaseModel], Schema],
    *,
    shared: Schema | None = None,
) -> Schema:
    """Return the schema of a table whose other keys depend on its key ``use``."""
    common = {"use": {"type": "string", "examples": list(plugin_settings)}}
    if shared is not None:
        own = {key: value for key, value in shared["properties"].items() if key != "settings"}
        common = own | common
    return {
        "type": "object",
        "required": ["use"],
        "properties": common,
        "allOf": [
            {
                "if": {"properties": {"use": {"const": name}}, "required": ["use"]},
                "then": _object(
                    common | tables[model]["properties"], tables[model].get("required", [])
                ),
            }
            for name, model in plugin_settings.items()
            if model is not None
        ],
    }


def _object(properties: Schema, required: list[str] | None = None) -> Schema:
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return schema | ({"required": required} if required else {})


def _for_toml(schema: Any) -> Any:
    """Return a schema without what TOML cannot say."""
    if isinstance(schema, list):
        return [_for_toml(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {
        key: {name: _for_toml(named) for name, named in value.items()}
        if key in _NAMED
        else _for_toml(value)
        for key, value in schema.items()
        if key != "title"
    }
    if "default" in kept and kept["default"] is None:
        del kept["default"]
    choices = [choice for choice in kept.get("anyOf", ()) if choice != {"type": "null"}]
    if len(choices) == 1:
        del kept["anyOf"]
        kept = choices[0] | kept
    elif choices:
        kept["anyOf"] = choices
    return kept


def meanings(model: type[BaseModel]) -> dict[str, str]:
    """Return what each key of a table means: the "Attributes" of the docstrings, bases first."""
    told: dict[str, str] = {}
    for base in reversed(model.__mro__):
        text = inspect.cleandoc(vars(base).get("__doc__") or "").partition("\f")[0]
        for names, meaning in _ATTRIBUTE.findall(text.partition("Attributes:\n")[2]):
            told |= dict.fromkeys(names.split(", "), " ".join(meaning.split()))
    return told


class _Described(GenerateJsonSchema):
    """Describes each key as its class does; links lead nowhere in an editor."""

    def model_schema(self, schema: Any) -> Schema:
        made = super().model_schema(schema)
        text = str(made.get("description", "")).partition("\n\nAttributes:\n")[0]
        made["description"] = _plain(text)
        for name, meaning in meanings(schema["cls"]).items():
            if name in made.get("properties", {}):
                made["properties"][name]["description"] = _plain(meaning)
        return made


def _plain(text: str) -> str:
    return " ".join(_LINK.sub(r"\1", text).split())


def _reached(defs: dict[str, Schema], *roots: Schema) -> dict[str, Schema]:
    """Return the definitions that something refers to."""
    names: set[str] = set()
    left: list[Any] = list(roots)
    while left:
        part = left.pop()
        if isinstance(part, list):
            left += part
        elif isinstance(part, dict):
            name = str(part.get("$ref", "")).removeprefix(_REF)
            if name in defs and name not in names:
                names.add(name)
                left.append(defs[name])
            left += part.values()
    return {name: defs[name] for name in sorted(names)}
