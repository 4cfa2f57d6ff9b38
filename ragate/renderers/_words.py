"""Sentences in parts, and the words for one metric's verdict.

A sentence is a list of parts, so that each renderer can put what is foreign through the filter of
its own sink.
"""

import re
from collections.abc import Iterable, Sequence
from typing import TypeVar

from ragate.models import Decision, Direction, MetricRow, MetricVerdict, Report, SliceRow
from ragate.renderers._numbers import Numbers, counted
from ragate.support.escape import one_line


class ForeignText(str):
    """Text that a model, a corpus or a pull request wrote."""

    __slots__ = ()


class Name(ForeignText):
    """The name of a metric, gate, sample or tag."""

    __slots__ = ()


class DocumentId(ForeignText):
    """The id of a document, which may lead to its file."""

    __slots__ = ()


RowT = TypeVar("RowT", bound=MetricRow)
Words = list[str]  # each part is trusted text, Foreign or Name


_ORDER = [
    MetricVerdict.REGRESSED,
    MetricVerdict.NOT_MEASURED,
    MetricVerdict.NOT_COMPARABLE,
    MetricVerdict.WORSE_HERE,
    MetricVerdict.CANNOT_TELL,
    MetricVerdict.IMPROVED,
    MetricVerdict.HELD,
    MetricVerdict.UNCHANGED,
    MetricVerdict.SHOWN,
]
QUIET = {MetricVerdict.HELD, MetricVerdict.UNCHANGED, MetricVerdict.IMPROVED, MetricVerdict.SHOWN}
MOST_NAMED = 3


def in_one_line(words: Words, most: int) -> str:
    """Return the words as plain text on one line, foreign ones cut to `most` characters."""
    return "".join(one_line(w, most) if isinstance(w, ForeignText) else w for w in words)


def as_sentence(text: str) -> str:
    """Return `text` as it stands behind a period: a word begins with a capital, a name stays."""
    first = text.split(maxsplit=1)[:1]
    return text[:1].upper() + text[1:] if first and first[0].strip(",;:").isalpha() else text


def below_floor(row: MetricRow) -> bool:
    return row.floor is not None and not row.floor.met


def ordered(rows: Iterable[MetricRow]) -> list[MetricRow]:
    """Sort what blocks first, then by what asks for a look, then by the size of the change."""

    def key(row: MetricRow) -> tuple[bool, bool, bool, int, float]:
        return (
            not row.blocks,
            row.level != "error",
            not below_floor(row),
            _ORDER.index(row.verdict),
            -abs(row.change or 0.0),
        )

    return sorted((row for row in rows if row.level != "off"), key=key)


def wants_a_look(row: MetricRow) -> bool:
    """Return whether a reader should look at the metric, whether it blocks or not.

    Of a slice that cannot tell there is nothing to see: it is small by its nature.
    """
    bad = row.verdict in (MetricVerdict.REGRESSED, MetricVerdict.WORSE_HERE)
    if isinstance(row, SliceRow):
        return (bad or below_floor(row)) and not row.too_few
    return bad or below_floor(row) or (row.gates and row.verdict not in QUIET)


def fell(row: MetricRow) -> bool:
    """Return whether the value moved to the worse side, proven or not."""
    return row.lost > 0


def not_proven(row: MetricRow) -> bool:
    """Return whether a metric that held fell by more than is allowed: nobody reads it as held."""
    beyond = row.allowed is not None and abs(row.change or 0.0) > row.allowed
    return row.verdict is MetricVerdict.HELD and beyond and fell(row)


def unsure_slices(decision: Decision) -> list[SliceRow]:
    """Return the slices that fell without proof where no metric of the whole set can fail.

    There a slice is all that the gate has: a fall that it cannot judge is not a quiet pass.
    """
    if any(row.gates for row in decision.metrics):
        return []
    unsure = [row for row in decision.slices if row.verdict is MetricVerdict.CANNOT_TELL]
    return [row for row in unsure if row.gates and not row.too_few and fell(row)]


def label(row: MetricRow, numbers: Numbers) -> Words:
    """Return what a row is of: a metric, or ``billing (30 questions): mrr``."""
    if not isinstance(row, SliceRow):
        return metric_words(row)
    return [Name(row.slice), f" ({counted(row.samples, numbers.noun)}): ", *metric_words(row)]


def metric_words(row: MetricRow) -> Words:
    """Return the metric, or ``faithfulness pass rate``."""
    return [Name(row.rated), " pass rate"] if row.rated else [Name(row.metric)]


def passes(row: MetricRow, numbers: Numbers) -> str:
    """Return ``Questions that pass (4): 78 % → 71 % (95 % interval …)``, "" without a pass mark."""
    share = row.pass_share
    if share is None or share.candidate is None or share.interval is None:
        return ""
    after = numbers.value("fraction", share.candidate)
    before = f"{numbers.value('fraction', share.baseline)} → " if share.baseline is not None else ""
    low, high = (numbers.value("fraction", end) for end in share.interval)
    title = f"{numbers.noun.capitalize()}s that pass (at {share.mark:g})"
    return f"{title}: {before}{after} (95 % interval {low.removesuffix(' %')} to {high})"


def shown_rows(decision: Decision) -> list[MetricRow]:
    """Return the rows of the table above the fold: the metrics, and the slices to look at."""
    unsure = unsure_slices(decision)
    looked_at = [r for r in decision.slices if r.blocks or wants_a_look(r) or r in unsure]
    return ordered([*decision.metrics, *looked_at])


def floor_text(row: MetricRow, numbers: Numbers) -> str:
    """Return ``floor 85.0 %`` or ``ceiling 2.00 s``."""
    if row.floor is None:
        return ""
    word = "floor" if row.direction is Direction.HIGHER else "ceiling"
    return f"{word} {numbers.value(row.unit, row.floor.limit)}"


def named(items: Sequence[Words]) -> Words:
    """Join as ``a, b and c``, naming three at most."""
    shown = list(items[:MOST_NAMED])
    if len(items) > MOST_NAMED:
        shown.append([f"{len(items) - MOST_NAMED} more"])
    if len(shown) == 1:
        return shown[0]
    return [*joined(shown[:-1], ", "), " and ", *shown[-1]]


def joined(clauses: Sequence[Words], separator: str = "; ") -> Words:
    """Join what is not empty."""
    words: Words = []
    for clause in filter(None, clauses):
        words += [separator, *clause] if words else clause
    return words


_VERDICTS = {
    MetricVerdict.NOT_COMPARABLE: "not compared",
    MetricVerdict.SHOWN: "shown only",
}


def _plain_verdict(row: MetricRow, numbers: Numbers) -> str:
    if row.verdict is MetricVerdict.WORSE_HERE:
        return f"fell on your {numbers.noun}s, but too few to prove a general drop"
    if not_proven(row):
        return "not proven"
    return _VERDICTS.get(row.verdict, row.verdict.words)


def verdict_text(row: MetricRow, numbers: Numbers, *, floors: bool = True) -> str:
    """Return the verdict on one metric in words, with the floor that it was held against.

    Args:
        floors: Name every floor; else one that is missed by what did not regress.
    """
    text = _plain_verdict(row, numbers)
    if row.is_large_fall:
        text = "may be a real drop"
    elif row.verdict is MetricVerdict.CANNOT_TELL and row.mde is not None:
        size = numbers.size(row.unit, row.mde)
        way = "drops" if row.direction is Direction.HIGHER else "rises"
        text = f"too few {numbers.noun}s to see {way} under {size}"
    if row.verdict is MetricVerdict.SHOWN and not row.aggregate:
        text = "measured"
    if floors and row.floor is not None and row.floor.met:
        text += f", {floor_text(row, numbers)} met"
    if below_floor(row) and (floors or row.verdict is not MetricVerdict.REGRESSED):
        limit = numbers.value(row.unit, row.floor.limit if row.floor else None)
        is_floor = row.direction is Direction.HIGHER
        beyond = f"below the {limit} demanded" if is_floor else f"above the {limit} allowed"
        text = beyond if row.verdict in QUIET else f"{text}, {beyond}"
    if row.unscored_candidate:
        text += f", {row.unscored_candidate:,} unscored"
    if row.level == "warn" and wants_a_look(row):
        text += " (warning only)"
    if isinstance(row, SliceRow) and row.too_few:
        text += " (too few: shown only)"
    if row.accepted:
        text += " (accepted)"
    return text


def visible_from(row: MetricRow) -> float | None:
    """Return the least drop that shows; None where a smaller change is proven."""
    proven = row.verdict in (MetricVerdict.REGRESSED, MetricVerdict.IMPROVED)
    return None if proven and abs(row.change or 0.0) < (row.mde or 0.0) else row.mde


_FIGURE = re.compile(
    r"(?P<size>(?:by|of|than|exceeds|`margin`) )?(?<![\d.])(?P<value>-?[01]\.\d{3})(?![\d.])"
    r"(?P<limit>(?= (?:more )?is allowed))?"
)


def in_points(report: Report) -> Report:
    """Return the report with the figures of its reasons as its tables have them: in points."""
    decision = report.decision
    told = {
        row.reason: _FIGURE.sub(_in_points, row.reason)
        for row in decision.rows
        if row.unit == "fraction" and row.reason
    }

    def shown(sentence: str) -> str:
        for old, new in told.items():
            sentence = sentence.replace(old, new)
        return sentence

    def rows(given: Sequence[RowT]) -> tuple[RowT, ...]:
        return tuple(row.amended(reason=told.get(row.reason, row.reason)) for row in given)

    return report.amended(
        decision=decision.amended(
            metrics=rows(decision.metrics),
            slices=rows(decision.slices),
            reasons=tuple(map(shown, decision.reasons)),
            warnings=tuple(map(shown, decision.warnings)),
        )
    )


def _in_points(found: re.Match[str]) -> str:
    value = 100 * float(found["value"])
    if found["size"] or found["limit"] is not None:
        return f"{found['size'] or ''}{value:.3g} point{'' if f'{value:.3g}' == '1' else 's'}"
    return f"{value:.1f} %"


def tone(row: MetricRow) -> str:
    """Return ``bad`` where it blocks, ``look`` where it asks for one, ``good`` or ``calm``."""
    if row.blocks:
        return "bad"
    if wants_a_look(row) or below_floor(row):
        return "look"
    return "good" if row.verdict is MetricVerdict.IMPROVED else "calm"
