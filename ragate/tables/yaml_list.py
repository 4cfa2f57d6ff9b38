"""YAML: plain data only."""

import re
from pathlib import Path
from typing import Any

import yaml

from ragate.errors import RagateError
from ragate.files.foreign_files import read_text
from ragate.files.strict_json import MAX_DEPTH

_BASE: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_OPENING = (yaml.SequenceStartEvent, yaml.MappingStartEvent)
_CLOSING = (yaml.SequenceEndEvent, yaml.MappingEndEvent)


class _Loader(_BASE):  # type: ignore[misc]
    """Only what JSON has: 007, 2026-01-01, yes and no stay text, as they were written."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[str, Any]:  # noqa: ARG002
        mapping: dict[str, Any] = {}
        for key, value in node.value:
            if not isinstance(key, yaml.ScalarNode):
                raise yaml.MarkedYAMLError(
                    problem="a key must be text", problem_mark=key.start_mark
                )
            if key.value in mapping:
                raise yaml.MarkedYAMLError(
                    problem=f"key {key.value!r} stands twice", problem_mark=key.start_mark
                )
            mapping[key.value] = self.construct_object(value, deep=True)
        return mapping


_INT = re.compile(r"-?(0|[1-9][0-9]{0,17})")
for _tag, _pattern, _openers in (
    ("bool", re.compile(r"true|false|True|False|TRUE|FALSE"), "tTfF"),
    ("null", re.compile(r"~|null|Null|NULL|"), ["~", "n", "N", ""]),
    ("int", re.compile(rf"{_INT.pattern}"), "-0123456789"),
    ("float", re.compile(rf"{_INT.pattern}\.[0-9]+([eE][-+]?[0-9]+)?"), "-0123456789"),
):
    _Loader.add_implicit_resolver(
        f"tag:yaml.org,2002:{_tag}", re.compile(rf"(?:{_pattern.pattern})\Z"), list(_openers)
    )


def load(path: Path, *, error: type[RagateError], most: int) -> tuple[Any, list[int]]:
    """Return what a YAML file holds, plain data only, and the line of each item of its list.

    Raises:
        error: names the line; aliases, tags and a second document are refused.
    """
    text = read_text(path, error=error, max_bytes=most)
    try:
        lines = _check(text, path, error)
        return yaml.load(text, Loader=_Loader), lines  # noqa: S506 (a safe loader, and stricter)
    except yaml.YAMLError as problem:
        raise error(_explain(path, problem)) from problem
    except (RecursionError, ValueError) as problem:
        raise error(f"{path}: cannot be read: {problem}") from problem


def _check(text: str, path: Path, error: type[RagateError]) -> list[int]:
    """Refuse what is not plain data, before any of it is built; return each item's line."""
    lines = []
    depth = 0
    documents = 0
    for event in yaml.parse(text, Loader=_Loader):
        line = event.start_mark.line + 1 if event.start_mark else 1
        documents += isinstance(event, yaml.DocumentStartEvent)
        if isinstance(event, yaml.AliasEvent):
            raise error(f"{path}:{line}: aliases (*name) are not read; write the value out")
        if getattr(event, "tag", None) is not None:
            raise error(f"{path}:{line}: tags (!name) are not read")
        if depth == 1 and isinstance(event, (*_OPENING, yaml.ScalarEvent)):
            lines.append(line)
        depth += isinstance(event, _OPENING) - isinstance(event, _CLOSING)
        if depth > MAX_DEPTH:
            raise error(f"{path}:{line}: nested more than {MAX_DEPTH} deep")
        if documents > 1:
            raise error(f"{path}:{line}: a second document begins here; write one list")
    return lines


def _explain(path: Path, error: yaml.YAMLError) -> str:
    mark = getattr(error, "problem_mark", None)
    if mark is None:
        return f"{path}: not YAML: {str(error).splitlines()[0]}"
    return f"{path}:{mark.line + 1}: not YAML: {getattr(error, 'problem', None) or error}"
