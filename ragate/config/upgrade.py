"""A ragate.toml of an earlier version as this one reads it: what is gone is taken out.

Whole lines go. Comments on lines of their own stay, and so does what a person has to write anew,
which goes only where somebody says so. What no version knew stays: it is a slip, and its reader
names the key that was meant.
"""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ragate import plugins
from ragate.config.toml_lines import Keys, key_lines
from ragate.errors import RagateError
from ragate.plugins import Kind
from ragate.removed import BY_HAND, gone_key, gone_plugin

_PLUGINS: dict[Kind, Keys] = {"systems": ("system",), "judges": ("policy", "judge")}


@dataclass(frozen=True)
class Upgraded:
    """What became of a configuration.

    Attributes:
        left: What is gone and was left for a person, each with its line and what to do.
    """

    text: str
    left: tuple[str, ...] = ()


def upgraded(text: str, *, everything: bool = False) -> Upgraded:
    """Return a configuration without what is gone.

    Args:
        everything: What a person would have to write anew goes too.
    """
    try:
        tables = tomllib.loads(text)
    except (ValueError, RecursionError):  # whoever reads it says so, with the line
        return Upgraded(text)
    lines = text.split("\n")
    gone: set[int] = set()
    left = []
    for first, last, keys in _entries(text):
        said = "" if _becomes_max_drop(keys, tables) else _said_of(keys, tables)
        if said and (everything or ".".join(keys) not in BY_HAND):
            gone.update(range(first, last + 1))
        elif said:
            left.append(f"line {first + 1 - len(gone)}: {said}")  # as it stands afterwards
        elif _becomes_max_drop(keys, tables):
            lines[first] = lines[first].replace("min_drop", "max_drop", 1)
        elif _level_of_a_latency(keys, tables):
            lines[first] = lines[first].replace('"error"', '"warn"', 1)
    text = "\n".join(line for number, line in enumerate(lines) if number not in gone)
    return Upgraded(text, tuple(left))


def _entries(text: str) -> Iterator[tuple[int, int, Keys]]:
    """Yield first and last line, from 0, of each header and of each key with its value."""
    lines = text.split("\n")
    last = -1
    for number, keys, _ in key_lines(text):
        if number - 1 <= last:
            continue  # within a value of several lines
        first = last = number - 1
        is_header = lines[first].lstrip().startswith("[")
        while not is_header and last + 1 < len(lines) and not _is_whole(lines[first : last + 1]):
            last += 1
        yield first, last, keys


def _is_whole(lines: list[str]) -> bool:
    try:
        tomllib.loads("\n".join(lines))
    except tomllib.TOMLDecodeError:
        return False
    return True


def _said_of(keys: Keys, tables: dict[str, Any]) -> str:
    """Return what is said of a key that is gone, or that stands in a table that is; else ""."""
    if _is_of_the_project(keys, tables):
        return ""  # a system or judge of the project may have a key of any name
    if keys[:2] == ("policy", "metrics") and len(keys) > 2:
        said = gone_plugin("metrics", keys[2])
        if said:
            return said
    ways = (gone_key(".".join(keys[:at]), keys[at]) for at in range(len(keys)))
    return next(filter(None, ways), "")


def _is_of_the_project(keys: Keys, tables: dict[str, Any]) -> bool:
    """Return whether a key is one of a plugin that is not ours."""
    for kind, path in _PLUGINS.items():
        if keys[: len(path)] == path:
            table: Any = tables
            for name in path:
                table = table[name]
            use = table.get("use") if isinstance(table, dict) else None
            return not (isinstance(use, str) and plugins.is_builtin(kind, use))
    return False


def _becomes_max_drop(keys: Keys, tables: dict[str, Any]) -> bool:
    """Return True for a metric's `min_drop` where nothing else says what is allowed to it."""
    if keys[-1] != "min_drop" or keys[:2] not in {("policy", "metrics"), ("policy", "scorecard")}:
        return False
    table: Any = tables
    for key in keys[:-1]:
        table = table[key]
    return "max_drop" not in table


def _level_of_a_latency(keys: Keys, tables: dict[str, Any]) -> bool:
    """Return True for the level of a latency that has a relative limit alone: it can only warn."""
    if keys[:2] != ("policy", "metrics") or len(keys) != 4 or keys[3] != "level":
        return False
    rule, name = tables["policy"]["metrics"][keys[2]], keys[2]
    if rule["level"] != "error" or "max_increase" not in rule or "maximum" in rule:
        return False
    try:
        info = plugins.metric(name).info if plugins.is_builtin_metric(name) else None
    except RagateError:  # whoever reads it says so
        return False
    return info is not None and info.aggregate and info.unit == "seconds"
