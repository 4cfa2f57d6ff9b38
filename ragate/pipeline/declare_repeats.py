"""What a recording showed to repeat, written into the policy."""

import datetime
import re
import tomllib
from collections.abc import Iterator, Sequence

from ragate.config import Config
from ragate.core.decision.repeating_notes import not_repeating, repeating_parts, repeats_line
from ragate.errors import ConfigError
from ragate.models import Run, Sample
from ragate.pipeline.power_tables import compared_with_itself
from ragate.support.atomic_files import write_atomic
from ragate.support.foreign_files import decode, read_bytes

_HEAD = re.compile(r"^[ \t]*\[[ \t]*policy[ \t]*\][^\r\n]*", re.MULTILINE)
_OLD = re.compile(r"^[ \t]*repeats[ \t]*=[ \t]*\[[^\[\]]*\]", re.MULTILINE)


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
    content = read_bytes(config.path, error=ConfigError)
    text = decode(content, where=str(config.path), error=ConfigError)
    new = with_repeats(text, parts)
    if new is None:
        raise ConfigError(
            f"{config.path}: no place for `{line}`", remedy=f"write `{line}` below [policy]"
        )
    mark = content.removesuffix(text.encode())  # a byte order mark stays
    write_atomic(config.path, mark + new.encode())
    return f"{config.path.name}: `{line}` is written; commit it"


def with_repeats(text: str, parts: Sequence[str]) -> str | None:
    """Return the text with the line instead of an older one, or at the head of its table.

    Nothing else is another. None where there is no such place: ``[policy]`` is no table of its own,
    or an older declaration is written in a way that one line cannot replace.
    """
    wanted = _tables(text)
    if wanted is None or not isinstance(policy := wanted.get("policy"), dict):
        return None
    policy["repeats"] = list(parts)
    written = _written(text, repeats_line(parts))
    return next((each for each in written if _tables(each) == wanted), None)


def _written(text: str, line: str) -> Iterator[str]:
    """Yield the text with the line at every place that looks like one for it, older ones first."""
    for old in _OLD.finditer(text):
        yield text[: old.start()] + line + text[old.end() :]
    end_of_line = "\r\n" if "\r\n" in text else "\n"
    for head in _HEAD.finditer(text):
        yield text[: head.end()] + end_of_line + line + text[head.end() :]


def _tables(text: str) -> dict[str, object] | None:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return None
