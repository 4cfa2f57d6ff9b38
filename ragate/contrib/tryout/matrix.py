"""The variants of a trial: every combination of `--set`, or the tables `[variants.<name>]`."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time
from pathlib import Path
from typing import Any, cast

from pydantic import ConfigDict

from ragate import plugins
from ragate.cli.init.templates import toml
from ragate.config import Config, load_config
from ragate.config.set_keys import JUDGE_MODEL, told_keys
from ragate.errors import ConfigError, UsageError
from ragate.models import Frozen
from ragate.settings import nearest, read_settings

AS_IT_STANDS = "[system]"  # the first of those that tables name
_OPENING, _CLOSING = "[{(", "]})"
_POLICY = ("judge", "policy", "temporal_mode")


class Variants(Frozen):
    """``[variants.<name>]``: keys of ``[system]`` with other values, for ``ragate try``."""

    model_config = ConfigDict(frozen=True, extra="allow")
    __pydantic_extra__: dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Variant:
    """One combination of values.

    Attributes:
        name: The table's, else what is set, without values that look secret.
        given: As of ``--set`` of `ragate check`, one for each key.
        config: The configuration with these keys.
    """

    name: str
    given: tuple[str, ...]
    config: Config


@dataclass(frozen=True)
class AskedAlike:
    """What is the same for all variants, so that it may hide how they differ.

    Attributes:
        top_k: As of ``--top-k``, None where each has its own.
        retrieval_only: No answers are asked for.
    """

    top_k: int | None = None
    retrieval_only: bool = False


def read_variants(
    config: Config,
    options: Sequence[str],
    names: Sequence[str],
    *,
    most: int,
    asked: AskedAlike = AskedAlike(),
) -> list[Variant]:
    """Return the variants; the others are held against the first.

    Args:
        options: Each as ``key=value,value``: the first value of every key makes the first variant.
        names: Of tables, in the order in which they are asked; empty for all of them. The first
            variant is the system as ragate.toml has it.
        most: How many there may be.

    Raises:
        UsageError: an option or a name is wrong, two variants are the same, or there are too many.
        ConfigError: a key is unknown, or a value is none that it takes.
    """
    if options and names:
        raise UsageError(
            "--set makes variants, and --variant names tables: a trial has one of the two",
            remedy="leave one out",
        )
    if options:
        choices = [_choices(text) for text in options]
        _refuse_twice(choices)
        _refuse_number(math.prod(map(len, choices)), most)
        variants = list(_combined(config.path, choices))
    else:
        tables = _tables(config, names)
        _refuse_number(1 + len(tables), most)
        first = Variant(AS_IT_STANDS, (), config)
        variants = [first, *(_of_table(config.path, *table) for table in tables.items())]
    _refuse_same(variants, asked)
    return variants


def _refuse_number(number: int, most: int) -> None:
    if number < 2:
        raise UsageError(
            "one variant has nothing to be compared with",
            remedy="ragate try --set answer.model=ONE,OTHER",
        )
    if number > most:
        raise UsageError(
            f"{number} variants, and {most} are the most that are asked",
            remedy=f"try fewer values or tables at once, or raise --most to {number}",
        )


def _refuse_twice(choices: Sequence[Sequence[str]]) -> None:
    keys = [choice[0].partition("=")[0] for choice in choices]
    for key in keys:
        if keys.count(key) > 1:
            raise UsageError(
                f"--set {key} stands twice",
                remedy=f"all of its values in one: --set {key}=ONE,OTHER",
            )


# Combinations of --set.


def _combined(path: Path, choices: Sequence[Sequence[str]]) -> Iterator[Variant]:
    for number, given in enumerate(itertools.product(*choices), 1):
        told = " ".join(told_keys(given))
        if told != " ".join(given):  # others may look the same without their secrets
            told = f"{told} #{number}"
        yield Variant(told, given, load_config(path, given=given))


def _choices(text: str) -> list[str]:
    """Return ``key=value`` for each value of an option.

    Raises:
        UsageError: it is no key with values, it is a rule, or a key or value is missing.
    """
    key, equals, values = text.partition("=")
    key = key.strip()
    if not equals or not key or not values.strip():
        raise UsageError(f"--set {text!r}: it must be a key and its values", remedy="--set KEY=A,B")
    if key.split(".")[0] in _POLICY:
        raise UsageError(
            f"--set {key}: variants differ in the system alone; by another rule or judge each "
            "would be measured otherwise",
            remedy=f"`ragate check --set {key}=VALUE` tries another judge"
            if key == JUDGE_MODEL
            else "rules and the judge stand in [policy] of ragate.toml and are those of all",
        )
    return [f"{key}={value}" for value in split_values(values)]


def split_values(text: str) -> list[str]:
    """Return the values of a list with commas; one in quotes or brackets may hold a comma.

    Raises:
        UsageError: a value is empty, or a quote or bracket is left open.
    """
    parts, depth, quote = [""], 0, ""
    for char in text:
        if char == "," and not depth and not quote:
            parts.append("")
            continue
        parts[-1] += char
        if quote:
            quote = "" if char == quote else quote
        elif char in "\"'" and not parts[-1][:-1].strip(" [{(,=") and not depth:
            quote = char  # at the beginning of a value: an apostrophe within a word is none
        elif char in "\"'" and depth:
            quote = char
        else:
            depth += (char in _OPENING) - (char in _CLOSING)
    values = [part.strip() for part in parts]
    if quote or depth:
        raise UsageError(
            f"--set: a quote or bracket is left open in {text!r}",
            remedy="""close it; the shell takes quotes away: --set 'KEY="A,B",C'""",
        )
    if not all(values):
        raise UsageError(f"--set: an empty value in {text!r}", remedy='"" is the empty text')
    return values


# Tables of ragate.toml.


def _tables(config: Config, names: Sequence[str]) -> dict[str, Mapping[str, Any]]:
    """Return the tables that are asked, by name.

    Raises:
        UsageError: there is none, or none of a name.
    """
    brought = cast("Variants | None", config.tables.get("variants"))
    tables: Mapping[str, Mapping[str, Any]] = (brought and brought.model_extra) or {}
    if not tables:
        raise UsageError(
            f"no variants: --set names none, and {config.path.name} has no table [variants.NAME]",
            remedy="ragate try --set answer.model=ONE,OTHER",
        )
    for name in names:
        if name not in tables:
            raise UsageError(
                f"--variant {name!r}: {config.path.name} has no table [variants.{name}]"
                f"{nearest(name, tables)}",
                remedy=f"one of {', '.join(tables)}",
            )
    return {name: tables[name] for name in names or tables}


def _of_table(path: Path, name: str, table: Mapping[str, Any]) -> Variant:
    where = f"[variants.{name}]"
    if rule := next((key for key in _POLICY if key in table), ""):
        raise ConfigError(
            f"{where} {rule}: variants differ in the system alone; by another rule or judge each "
            "would be measured otherwise",
            remedy=f"leave {rule} out; rules and the judge stand in [policy] and are those of all",
        )
    if "system" in table:
        raise ConfigError(
            f"{where} system: the keys of [system] stand right in the table",
            remedy=f"{where} top_k = 10, [variants.{name}.answer] model = …",
        )
    given = tuple(_given(table))
    try:
        return Variant(name, given, load_config(path, given=given))
    except (ConfigError, UsageError) as error:
        message = re.sub(rf"^({re.escape(str(path))}(:\d+)?: |--set )", "", error.message)
        raise ConfigError(f"{where}: {message}", remedy=error.remedy) from error


def _given(table: Mapping[str, Any], above: str = "") -> Iterator[str]:
    """Yield ``path=value`` of every key; a table that names what it uses is a value as a whole."""
    for key, value in table.items():
        path = f"{above}{key}"
        if isinstance(value, Mapping) and value and "use" not in value:
            yield from _given(value, f"{path}.")
        else:
            text = value.isoformat() if isinstance(value, date | time) else toml(value)
            yield f"{path}={text}"


# Variants that are one and the same.


def _refuse_same(variants: Sequence[Variant], asked: AskedAlike) -> None:
    for one, other in itertools.combinations(variants, 2):
        same = f"{one.name!r} and {other.name!r}"
        if _system(one) == _system(other):
            raise UsageError(
                f"two variants are the same system: {same}", remedy="leave one of them out"
            )
        if _system(one, asked) == _system(other, asked):
            raise UsageError(
                f"two variants are asked the same by --top-k or --retrieval-only: {same}",
                remedy="leave that option out, or what it overrides",
            )


def _system(variant: Variant, asked: AskedAlike = AskedAlike()) -> tuple[str, dict[str, Any]]:
    """Return what a variant is: a key with its default is the same as none."""
    system = variant.config.system
    settings = dict(system.settings)
    if plugins.is_builtin("systems", system.use):
        model = plugins.settings_model("systems", system.use)
        if model is not None:
            settings = read_settings(model, settings, where="[system]").model_dump()
    if asked.top_k:
        settings.pop("top_k", None)
    if asked.retrieval_only and system.use == "pgvector":
        settings.pop("answer", None)
    return system.use, settings
