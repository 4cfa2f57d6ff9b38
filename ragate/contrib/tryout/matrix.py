"""The variants that `--set` names: each key with its values, and every combination of them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ragate.config import Config, load_config
from ragate.config.set_keys import told_keys
from ragate.errors import UsageError

_OPENING, _CLOSING = "[{(", "]})"
_POLICY = ("judge", "temporal_mode")


@dataclass(frozen=True)
class Variant:
    """One combination of values.

    Attributes:
        name: What is set, without values that look secret.
        given: As of ``--set`` of `ragate check`, one for each key.
        config: The configuration with these keys.
    """

    name: str
    given: tuple[str, ...]
    config: Config


def read_variants(path: Path, options: Sequence[str], *, most: int) -> list[Variant]:
    """Return the variants of a ragate.toml; the first has the first value of every key.

    Args:
        options: Each as ``key=value,value``.

    Raises:
        UsageError: an option is malformed, two variants are the same, or there are too many.
        ConfigError: a key is unknown, or a value is none that it takes.
    """
    choices = [_choices(text) for text in options]
    number = 1
    for each in choices:
        number *= len(each)
    if number < 2:
        raise UsageError(
            "one variant has nothing to be compared with",
            remedy="ragate try --set answer.model=ONE,OTHER",
        )
    if number > most:
        raise UsageError(
            f"{number} variants, and {most} are the most that are asked",
            remedy=f"try fewer values at once, or raise --most to {number}",
        )
    variants: list[Variant] = []
    for given in itertools.product(*choices):
        told = " ".join(told_keys(given))
        if told != " ".join(given):  # others may look the same without their secrets
            told = f"{told} #{len(variants) + 1}"
        variants.append(Variant(told, given, load_config(path, given=given)))
    _refuse_same(variants)
    return variants


def _choices(text: str) -> list[str]:
    """Return ``key=value`` for each value of an option.

    Raises:
        UsageError: it is no key with values, it is a rule, or a key or value is missing.
    """
    key, equals, values = text.partition("=")
    if not equals or not key.strip() or not values.strip():
        raise UsageError(f"--set {text!r}: it must be a key and its values", remedy="--set KEY=A,B")
    if key.split(".")[0] in _POLICY:
        raise UsageError(
            f"--set {key}: variants differ in the system alone; by another rule or judge each "
            "would be measured otherwise",
            remedy=f"`ragate check --set {key}=VALUE` tries one",
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
        raise UsageError(f"--set: a quote or bracket is left open in {text!r}")
    if not all(values):
        raise UsageError(f"--set: an empty value in {text!r}", remedy='"" is the empty text')
    return values


def _refuse_same(variants: Sequence[Variant]) -> None:
    for one, other in itertools.combinations(variants, 2):
        if one.config.system == other.config.system:
            raise UsageError(
                f"two variants are the same system: {one.name!r} and {other.name!r}",
                remedy="leave one of the values out",
            )
