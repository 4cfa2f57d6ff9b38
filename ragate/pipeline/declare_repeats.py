"""What a recording showed to repeat, written into the policy."""

import datetime
import re
import tomllib
from collections.abc import Sequence

from ragate.config import Config, parse_config
from ragate.core.decision.repeating_notes import not_repeating, repeating_parts, repeats_line
from ragate.errors import ConfigError
from ragate.models import Run, Sample
from ragate.pipeline.power_tables import compared_with_itself
from ragate.support.atomic_files import write_atomic
from ragate.support.foreign_files import read_text

_POLICY = re.compile(r"\s*\[\s*policy\s*\]")
_TABLE = re.compile(r"\s*\[")
_OLD = re.compile(r"\s*repeats\s*=\s*\[[^\[\]]*\]\s*(#.*)?")


def declare_repeats(
    config: Config, samples: Sequence[Sample], run: Run, *, today: datetime.date
) -> str:
    """Write ``[policy] repeats`` where evidence bears it out; return what was done, and why not.

    Raises:
        ConfigError: the file has no place for the line; it is as it was.
    """
    comparison, cases = compared_with_itself(config, samples, run, today=today)
    parts = repeating_parts(cases, comparison)
    if not parts or comparison.repetition.unseen:
        return f"{config.path.name}: not changed: {not_repeating(comparison)}"
    line = repeats_line(parts)
    old = read_text(config.path, error=ConfigError)
    try:
        new = _with_line(old, line)
        parse_config(new, where=str(config.path), root=config.path.parent, path=config.path)
    except (ConfigError, StopIteration) as error:
        raise ConfigError(
            f"{config.path}: no place for `{line}`", remedy=f"write `{line}` below [policy]"
        ) from error
    write_atomic(config.path, new.encode())
    return f"{config.path.name}: `{line}` is written; commit it"


def _with_line(text: str, line: str) -> str:
    """Return the text with the line at the head of its table, instead of an older one.

    Raises:
        StopIteration: there is no such table, or more than the line would be another.
    """
    end_of_line = "\r\n" if "\r\n" in text else "\n"
    lines = text.split(end_of_line)
    head = next(row for row, each in enumerate(lines) if _POLICY.match(each)) + 1
    end = next((row for row in range(head, len(lines)) if _TABLE.match(lines[row])), len(lines))
    old = [match for each in lines[head:end] if (match := _OLD.fullmatch(each))]
    kept = [each for each in lines[head:end] if not _OLD.fullmatch(each)]
    comment = f"  {old[0][1]}" if old and old[0][1] else ""
    new = end_of_line.join([*lines[:head], line + comment, *kept, *lines[end:]])
    if _without_line(new) != _without_line(text):
        raise StopIteration
    return new


def _without_line(text: str) -> dict[str, object]:
    try:
        table = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise StopIteration from error
    table.get("policy", {}).pop("repeats", None)
    return table
