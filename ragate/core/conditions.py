"""Which samples are meant: tags, and conditions on metadata, in the one grammar that both have."""

import difflib
import math
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Self

from ragate.errors import RagateError, UsageError
from ragate.models import MetadataValue, Sample, Slice

_CONDITION = re.compile(r"(.+?)(>=|<=|=)(.*)", re.DOTALL)
_EXAMPLES = 5


@dataclass(frozen=True)
class Condition:
    """One condition on metadata: ``field=value``, ``field>=number`` or ``field<=number``.

    Attributes:
        sign: ``=``, ``>=`` or ``<=``.
        expected: The value as it was typed.
    """

    field: str
    sign: str
    expected: str

    @classmethod
    def parse(cls, text: str, *, where: str, error: type[RagateError] = UsageError) -> Self:
        """Read a condition.

        Args:
            where: What names the text in a message, such as ``--where``.
            error: What a wrong one raises.

        Raises:
            RagateError: it is no condition, or compares with what is no number.
        """
        match = _CONDITION.fullmatch(text)
        if match is None:
            raise error(
                f"{where} {text!r}: must be FIELD=VALUE, FIELD>=NUMBER or FIELD<=NUMBER",
                remedy="a field of the samples' metadata, such as source=forum",
            )
        condition = cls(match[1].strip(), match[2], match[3].strip())
        if condition.sign != "=" and math.isnan(_number(condition.expected)):
            raise error(f"{where} {text!r}: {condition.expected!r} is not a number")
        return condition

    def meets(self, sample: Sample) -> bool:
        """Return whether a sample meets it; one without the field does not."""
        if self.sign == "=":
            has = self.field in sample.metadata
            return has and _written(sample.metadata[self.field]) == self.expected
        value, limit = _number(sample.metadata.get(self.field)), _number(self.expected)
        return value >= limit if self.sign == ">=" else value <= limit


@dataclass(frozen=True)
class SampleConditions:
    """What a sample must fit: any of the tags, where there are some, and every condition."""

    tags: frozenset[str] = frozenset()
    where: tuple[Condition, ...] = ()

    def fit(self, sample: Sample) -> bool:
        """Return whether a sample is meant."""
        tagged = not self.tags or not self.tags.isdisjoint(sample.tags)
        return tagged and all(condition.meets(sample) for condition in self.where)

    def refuse_unknown(
        self, samples: Sequence[Sample], *, where: str = "", error: type[RagateError] = UsageError
    ) -> None:
        """Raise for a tag or a field that no sample has: most likely it is misspelt."""
        if self.tags:
            tags = {tag for sample in samples for tag in sample.tags}
            refuse_unknown("tag", sorted(self.tags), tags, where=where, error=error)
        if self.where:
            fields = {key for sample in samples for key in sample.metadata}
            asked_for = [condition.field for condition in self.where]
            refuse_unknown("metadata field", asked_for, fields, where=where, error=error)


def read_conditions(
    tags: Iterable[str],
    where: Iterable[str],
    *,
    place: str = "--where",
    error: type[RagateError] = UsageError,
) -> SampleConditions:
    """Return the conditions of ``--tags`` and ``--where``, or of keys that mean the same.

    Args:
        place: What names a condition in a message.

    Raises:
        RagateError: a condition is none; see `Condition.parse`.
    """
    parsed = tuple(Condition.parse(text, where=place, error=error) for text in where)
    return SampleConditions(frozenset(tags), parsed)


def conditions_of(part: Slice) -> SampleConditions:
    """Return what a sample of a slice fits; the configuration has checked that they are ones."""
    return read_conditions(part.tags, part.where)


def fits(part: Slice, sample: Sample) -> bool:
    """Return whether a sample is in a slice."""
    return conditions_of(part).fit(sample)


def refuse_unknown(
    noun: str,
    asked_for: Iterable[str],
    existing: Collection[str],
    *,
    where: str = "",
    error: type[RagateError] = UsageError,
) -> None:
    """Raise for the first name that does not exist, with the nearest one or some examples."""
    names = set(existing)
    for name in asked_for:
        if name not in names:
            start = f"{where}: " if where else ""
            raise error(f"{start}no sample has the {noun} {name!r}{_hint(name, names)}")


def _hint(name: str, names: Collection[str]) -> str:
    """Return the end of a message: the name that may be meant, else some that there are."""
    if close := difflib.get_close_matches(name, names, n=1):
        return f"; did you mean {close[0]!r}?"
    examples = ", ".join(sorted(names)[:_EXAMPLES])
    return f"; it has {examples}" if examples else ""


def _written(value: MetadataValue) -> str:
    """Return a value as it is typed on a command line."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _number(value: MetadataValue) -> float:
    """Return a number, NaN where it is none: NaN meets no condition."""
    if isinstance(value, bool) or value is None:
        return math.nan
    try:
        return float(value)
    except (ValueError, OverflowError):  # a whole number that no float holds
        return math.nan
