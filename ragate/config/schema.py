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
# The settings of the plugins of a kind by name; None where any key is taken as it is.
SettingsModels = dict[str, type[BaseModel] | None]
Tables = dict[type[BaseModel], Schema]
_REF = "#/$defs/"
_NAMED = {"properties", "patternProperties"}  # what hangs on these are names, not words of a schema
_ATTRIBUTE = re.compile(r"^ {4}([a-z_0-9]+(?:, [a-z_0-9]+)*): (.+(?:\n {8}.+)*)", re.MULTILINE)
_LINK = re.compile(r"\[([^\]]+)\]\([^)]+\)")


def config_schema() -> Schema:
    """Return the schema of a whole ragate.toml (JSON Schema 2020-12), ready for ``json.dumps``.

    Keys of systems, judges and metrics that are not built in are taken as they are.
    """
    systems, judges, metrics = _settings("systems"), _settings("judges"), _settings("metrics")
    brought = brought_tables()  # by extensions
    models: list[type[BaseModel]] = [Policy, Rule, JudgeSettings, ScorecardTable]
    for plugin_models in (systems, judges, metrics, brought):
        models += filter(None, plugin_models.values())
    tables, defs = _tables_of(list(dict.fromkeys(models)))

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


def _tables_of(models: list[type[BaseModel]]) -> tuple[Tables, dict[str, Schema]]:
    """Return the schema of each model, and the definitions by name that it may refer to."""
    refs, combined = models_json_schema(
        [(model, "validation") for model in models], schema_generator=_Described
    )
    defs = {name: _for_toml(schema) for name, schema in combined.get("$defs", {}).items()}
    names = {model: refs[model, "validation"]["$ref"].removeprefix(_REF) for model in models}
    return {model: defs[name] for model, name in names.items()}, defs


def _settings(kind: Literal["systems", "judges", "metrics"]) -> SettingsModels:
    return {name: plugins.settings_model(kind, name) for name in plugins.names(kind)}


def _metric_tables(metrics: SettingsModels, tables: Tables) -> Schema:
    """Return the schema of ``[policy.metrics]``: a rule for each metric, with the metric's keys."""
    rule = _without(tables[Rule]["properties"], "metric")
    foreign = {"type": "object", "properties": rule}
    built_in: Schema = {}
    for name, model in metrics.items():
        with_cut_off = rf"^{name}(@[0-9]+)?$"
        built_in[with_cut_off] = _object(rule | tables[model]["properties"]) if model else foreign
    return {
        "type": "object",
        "description": tables[Rule]["description"],
        "patternProperties": built_in,
        "additionalProperties": foreign,
    }


def _without(properties: Schema, name: str) -> Schema:
    return {key: value for key, value in properties.items() if key != name}


def _chosen(
    plugin_settings: SettingsModels, tables: Tables, *, shared: Schema | None = None
) -> Schema:
    """Return the schema of a table whose other keys depend on its key ``use``.

    Args:
        shared: The schema of the keys that every plugin of the kind has, ``settings`` aside.
    """
    common: Schema = {"use": {"type": "string", "examples": list(plugin_settings)}}
    if shared is not None:
        common = _without(shared["properties"], "settings") | common
    branches: list[Schema] = []
    for name, model in plugin_settings.items():
        if model is not None:
            table = tables[model]
            is_used = {"properties": {"use": {"const": name}}, "required": ["use"]}
            keys = _object(common | table["properties"], table.get("required"))
            branches.append({"if": is_used, "then": keys})
    return {"type": "object", "required": ["use"], "properties": common, "allOf": branches}


def _object(properties: Schema, required: list[str] | None = None) -> Schema:
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    return schema | ({"required": required} if required else {})


def _for_toml(schema: Any) -> Any:
    """Return a schema without what TOML cannot say."""
    if isinstance(schema, list):
        return [_for_toml(item) for item in schema]
    if not isinstance(schema, dict):
        return schema

    plain: Schema = {}
    for key, value in schema.items():
        if key in _NAMED:
            plain[key] = {name: _for_toml(named) for name, named in value.items()}
        elif key != "title":
            plain[key] = _for_toml(value)
    if "default" in plain and plain["default"] is None:
        del plain["default"]

    choices = [choice for choice in plain.get("anyOf", ()) if choice != {"type": "null"}]
    if len(choices) == 1:
        del plain["anyOf"]
        return choices[0] | plain
    if choices:
        plain["anyOf"] = choices
    return plain


def meanings(model: type[BaseModel]) -> dict[str, str]:
    """Return what each key of a table means: the "Attributes" of the docstrings, bases first."""
    meanings_by_key: dict[str, str] = {}
    for base in reversed(model.__mro__):
        docstring = inspect.cleandoc(vars(base).get("__doc__") or "").partition("\f")[0]
        attributes = docstring.partition("Attributes:\n")[2]
        for names, meaning in _ATTRIBUTE.findall(attributes):
            meanings_by_key |= dict.fromkeys(names.split(", "), " ".join(meaning.split()))
    return meanings_by_key


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
    reached: set[str] = set()
    unread: list[Any] = list(roots)
    while unread:
        part = unread.pop()
        if isinstance(part, list):
            unread += part
        elif isinstance(part, dict):
            name = str(part.get("$ref", "")).removeprefix(_REF)
            if name in defs and name not in reached:
                reached.add(name)
                unread.append(defs[name])
            unread += part.values()
    return {name: defs[name] for name in sorted(reached)}
