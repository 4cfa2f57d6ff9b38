"""docs/configuration.md: the tables of ragate.toml and their keys, from their types."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from ragate import plugins
from ragate.clients.prices import Price
from ragate.config import Execution, JudgeSettings, Policy, Profile, Provider
from ragate.config.model import SystemConfig
from ragate.config.schema import meanings
from ragate.config.scorecard import ScorecardTable, StageTable
from ragate.core.judging.own_criterion import OwnCriterion
from ragate.models import PassRule, Rule, Scorecard, Slice, Waiver
from ragate.scores.reported_metric import ReportedSettings
from tools.reference import anchor, cell, parts

POLICY: dict[type[BaseModel], str] = {
    Policy: "`[policy]`",
    Rule: "`[policy.metrics.<name>]`",
    PassRule: "`[policy.metrics.<name>.pass_rate]`",
    OwnCriterion: '`[policy.metrics."criterion.<name>"]`',
    Waiver: "`[[policy.waivers]]`",
    Slice: "`[[policy.slices]]`",
    Profile: "`[policy.profiles.<name>]`",
    Provider: "`[policy.providers.<name>]`",
    Price: "`[policy.providers.<name>.prices.<model>]`",
    JudgeSettings: "`[policy.judge]`",
    Execution: "`[policy.execution]`",
    ScorecardTable: "`[policy.scorecard]`",
    StageTable: "`[policy.scorecard.stages.<name>]`",
    ReportedSettings: "`[policy.metrics.<name>]` of `scores`",
    SystemConfig: "`[system]`",
}
SYSTEMS = ("python", "llamaindex", "http", "command", "mcp", "pgvector", "replay", "scores")
# What stands in no table: the name of a metric is its table's, and plugins have keys of their own.
NO_KEYS = {Rule: {"metric"}, JudgeSettings: {"settings"}, SystemConfig: {"settings"}}
LONGEST_DEFAULT = 50


@dataclass(frozen=True)
class Key:
    """One row: a key, what it takes, its default and its meaning."""

    name: str
    kind: str
    default: str
    meaning: str


@dataclass(frozen=True)
class Table:
    """One section: a table with its keys, and what is said before and after them."""

    heading: str
    about: str
    keys: tuple[Key, ...]
    more: str


def context() -> dict[str, Any]:
    """Return what the template gets."""
    headed = dict(headings())
    return {"tables": [table(heading, model, headed) for model, heading in headed.items()]}


def headings() -> Iterator[tuple[type[BaseModel], str]]:
    """Yield each type of a table with the heading of its section; a type has one section."""
    taken = dict(POLICY)
    if missing := set(plugins.names("systems")) - set(SYSTEMS):
        raise ValueError(f"{missing}: say in SYSTEMS where its section stands")
    for name in SYSTEMS:
        model = settings("systems", name)
        taken[model] = f"`[system]` of `{name}`"
        for key, field in model.model_fields.items():
            for nested in models_in(field.annotation):
                brackets = (
                    f"`[system.{key}]`" if nested is field.annotation else f"`[[system.{key}]]`"
                )
                heading = f"{brackets} of `{name}`" if brackets in taken.values() else brackets
                taken.setdefault(nested, heading)
    for kind in ("judges", "embedders", "rerankers"):
        for name in plugins.names(kind):
            taken[settings(kind, name)] = f"{kind.removesuffix('s').title()} `{name}`"
    yield from taken.items()


def settings(kind: plugins.Kind, name: str) -> type[BaseModel]:
    """Return the type of a plugin's keys."""
    model = plugins.settings_model(kind, name)
    if model is None:
        raise ValueError(f"{name} has no Settings")
    return model


def models_in(annotation: Any) -> Iterator[type[BaseModel]]:
    """Yield the types of tables that an annotation names."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield ScorecardTable if annotation is Scorecard else annotation
    for inner in get_args(annotation):
        yield from models_in(inner)


def table(heading: str, model: type[BaseModel], headed: dict[type[BaseModel], str]) -> Table:
    """Return a type's section."""
    text, more = parts(vars(model).get("__doc__"))
    about = re.sub(r"\A(.+)\n\n", r"\1\n", text.partition("\n\nAttributes:\n")[0])
    rows = keys(model, without=NO_KEYS.get(model, set()), headed=headed)
    return Table(heading, about, tuple(rows), more)


def keys(
    model: type[BaseModel],
    *,
    without: set[str] = frozenset(),  # type: ignore[assignment]
    headed: dict[type[BaseModel], str] | None = None,
) -> Iterator[Key]:
    """Yield the keys of a table; one without a meaning is refused."""
    schema = model.model_json_schema()
    told = meanings(model)
    own = inspect.get_annotations(model)
    fields = model.model_fields.items()
    # First what must be written, then what is the table's own, then what others share.
    for name, field in sorted(
        fields, key=lambda one: (not one[1].is_required(), one[0] not in own)
    ):
        if name not in schema["properties"] or name in without:
            continue
        if not told.get(name):
            where = f"{model.__module__}.{model.__name__}"
            raise ValueError(f"{where}: its docstring does not say what {name!r} means")
        links = [
            f"[its keys](#{anchor(headed[at])})" for at in models_in(field.annotation) if headed
        ]
        meaning = " ".join([told[name].rstrip("."), *(f"({link})" for link in links)])
        kind = plain_type(schema["properties"][name], schema.get("$defs", {}))
        if any(headed[at].endswith(">]`") for at in models_in(field.annotation) if headed):
            kind = "tables by name"  # whatever they are once they are read
        yield Key(name, kind, default_of(field), cell(meaning))


def default_of(field: FieldInfo) -> str:
    """Return a default as it is written in TOML."""
    if field.is_required():
        return "required"
    value = field.default
    if value is None:
        return "none"
    if isinstance(value, BaseModel):
        return "a table"
    text = json.dumps(value, ensure_ascii=False)
    if len(text) > LONGEST_DEFAULT or "{{" in text:
        return "built in"
    return f"`{text}`"


def plain_type(schema: dict[str, Any], defs: dict[str, Any]) -> str:
    """Return what a key takes, in plain words."""
    if "$ref" in schema:
        schema = defs[schema["$ref"].rpartition("/")[2]]
    if "allOf" in schema:
        return plain_type(schema["allOf"][0], defs)
    choices = schema.get("enum") or ([schema["const"]] if "const" in schema else [])
    if choices:
        return ", ".join(f"`{choice}`" for choice in choices if choice != "")
    if "anyOf" in schema:
        several = [plain_type(one, defs) for one in schema["anyOf"] if one.get("type") != "null"]
        return " or ".join(dict.fromkeys(several))
    match schema.get("type"):
        case "array":
            (first, *_) = schema.get("prefixItems", [schema.get("items", {})])
            items = plain_type(first, defs)
            return f"list of {items}" if items.startswith("`") else f"list of {items}s"
        case "integer" | "number" as number:
            word = "whole number" if number == "integer" else "number"
            return ", ".join(filter(None, (word, bounds(schema))))
        case "object":
            return (
                "tables by name" if "$ref" in str(schema.get("additionalProperties")) else "table"
            )
        case "boolean":
            return "true or false"
        case "string":
            return "date" if schema.get("format") == "date" else "text"
    return "any value"


def bounds(schema: dict[str, Any]) -> str:
    """Return between which bounds a number lies."""
    least, most = schema.get("minimum"), schema.get("maximum")
    above, below = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    if least is not None and most is not None:
        return f"{least:g} to {most:.12g}"
    low = (
        f"above {above:g}"
        if above is not None
        else f"{least:g} or more"
        if least is not None
        else ""
    )
    high = (
        f"below {below:g}" if below is not None else f"up to {most:g}" if most is not None else ""
    )
    return ", ".join(filter(None, (low, high)))
