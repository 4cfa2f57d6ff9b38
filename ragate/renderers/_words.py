"""Sentences in parts, and the words for one metric's verdict.

A sentence is a list of parts, so that each renderer can put what is foreign through the filter of
its own sink.
"""

import math
import re
from collections.abc import Iterable, Sequence
from typing import TypeVar

from ragate.guards.escape import one_line
from ragate.models import Decision, Direction, MetricRow, MetricVerdict, Report, SliceRow
from ragate.renderers import _numbers as numbers
from ragate.renderers._numbers import counted


class Strong(str):
    """Words of ours that say what a sentence is about."""

    __slots__ = ()


class Aside(str):
    """Words of ours that are left out where a line has no room."""

    __slots__ = ()


class VerdictWord(str):
    """Words of a first line that are left out where the verdict stands before it."""

    __slots__ = ()


class ForeignText(str):
    """Text that a model, a corpus or a pull request wrote; it may lead to a page."""

    url = ""


class Name(ForeignText):
    """The name of a metric, gate, sample or tag."""


class DocumentId(ForeignText):
    """The id of a document, which may lead to its file."""


_GAP = re.compile(r"(\{\}|\*\*.+?\*\*)")
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
_ADDRESS = re.compile(r"https://[A-Za-z0-9.:-]{1,200}/[A-Za-z0-9._~/%#?=&@+-]{0,600}")
QUIET = {MetricVerdict.HELD, MetricVerdict.UNCHANGED, MetricVerdict.IMPROVED, MetricVerdict.SHOWN}
_SHORT = 24  # characters of a text in a line that is shortened


def leading(word: ForeignText, url: str) -> ForeignText:
    """Let the word lead to a page, where its address is a plain https one."""
    word.url = url if _ADDRESS.fullmatch(url) else ""
    return word


def foreign(text: str, most: int) -> ForeignText:
    """Return foreign text on one line, cut to `most` characters."""
    return ForeignText(one_line(text, most))


def said(sentence: str, *fillings: str | Words) -> Words:
    """Return a sentence of ours with each ``{}`` filled, and what stands in ``**`` strong.

    [] where a filling is empty: then there is nothing to say.
    """
    if not all(fillings):
        return []
    words, rest = list[str](), iter(fillings)
    for part in filter(None, _GAP.split(sentence)):
        if part == "{}":
            filling = next(rest)
            words += [filling] if isinstance(filling, str) else filling
        else:
            words.append(Strong(part.strip("*")) if part.startswith("**") else part)
    return words


def listed(items: Iterable[Sequence[str]], most: int = 3, separator: str = ", ") -> Words:
    """Join at most `most` items; the others are counted."""
    every = [[each] if isinstance(each, str) else each for each in items]
    hidden = [f" and {len(every) - most:,} more"] if len(every) > most else []
    return [*joined(every[:most], separator), *hidden]


def shortened(words: Words) -> Words:
    """Return the words without asides, and with the beginnings of what others wrote."""
    return [
        foreign(word, _SHORT) if type(word) is ForeignText else word
        for word in words
        if not isinstance(word, Aside)
    ]


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
    bad = row.verdict in (MetricVerdict.REGRESSED, MetricVerdict.WORSE_HERE) or row.unchecked > 0
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


def has_risen(row: MetricRow) -> bool:
    """Return whether a metric that held rose by more than is allowed to fall: it is not equal."""
    return row.verdict is MetricVerdict.HELD and row.lost < -(row.allowed or 1.0)


# From this share of its questions on, a fall is told although nothing blocks.
_WIDE = 0.1


def widest_fall(decision: Decision) -> MetricRow | None:
    """Return the metric that is proven to have fallen on the most questions: a tenth or more.

    None where each metric that is shown got worse on fewer: then nothing has to be done.
    """
    shown = [row for row in decision.metrics if not row.aggregate and row.level != "off" and row.n]
    rows = [row for row in shown if fell(row) and _is_proven(row)]
    widest = max(rows, key=lambda row: row.worse / row.n, default=None)
    return widest if widest is not None and widest.worse >= _WIDE * widest.n else None


def _is_proven(row: MetricRow) -> bool:
    """Whether a fall is more than chance: by its test, its interval, or as nothing of it varies.

    Where passes of main were equal, but few, it is by a sign test: more fell than rose, by more
    than two standard errors.
    """
    tested = row.verdict in (MetricVerdict.REGRESSED, MetricVerdict.WORSE_HERE)
    mostly = row.exact and row.worse - row.better > 2.0 * math.sqrt(row.worse + row.better)
    return tested or row.has_fallen or row.is_certain or mostly


def unsure_slices(decision: Decision) -> list[SliceRow]:
    """Return the slices that fell without proof where no metric of the whole set can fail.

    There a slice is all that the gate has: a fall that it cannot judge is not a quiet pass.
    """
    if any(row.gates for row in decision.metrics):
        return []
    unsure = [row for row in decision.slices if row.verdict is MetricVerdict.CANNOT_TELL]
    return [row for row in unsure if row.gates and not row.too_few and fell(row)]


def label(row: MetricRow) -> Words:
    """Return what a row is of: a metric, or ``billing (30 questions): mrr``."""
    if not isinstance(row, SliceRow):
        return metric_words(row)
    return [Name(row.slice), f" ({counted(row.samples, numbers.NOUN)}): ", *metric_words(row)]


def metric_words(row: MetricRow) -> Words:
    """Return the metric, or ``faithfulness pass rate``."""
    return [Name(row.rated), " pass rate"] if row.rated else [Name(row.metric)]


def passes(row: MetricRow) -> str:
    """Return ``Questions that pass (4): 78 % → 71 % (95 % interval …)``, "" without a pass mark."""
    share = row.pass_share
    if share is None or share.candidate is None or share.interval is None:
        return ""
    after = numbers.value("fraction", share.candidate)
    before = f"{numbers.value('fraction', share.baseline)} → " if share.baseline is not None else ""
    low, high = (numbers.value("fraction", end) for end in share.interval)
    title = f"{numbers.NOUN.capitalize()}s that pass (at {share.mark:g})"
    return f"{title}: {before}{after} (95 % interval {low.removesuffix(' %')} to {high})"


def shown_rows(decision: Decision) -> list[MetricRow]:
    """Return the rows of the table above the fold: the metrics, and the slices to look at."""
    unsure = unsure_slices(decision)
    looked_at = [r for r in decision.slices if r.blocks or wants_a_look(r) or r in unsure]
    return ordered([*decision.metrics, *looked_at])


def joined(clauses: Sequence[Sequence[str]], separator: str = "; ") -> Words:
    """Join what is not empty."""
    words: Words = []
    for clause in filter(None, clauses):
        words += [separator, *clause] if words else clause
    return words


_VERDICTS = {
    MetricVerdict.NOT_COMPARABLE: "not compared",
    MetricVerdict.SHOWN: "shown only",
    MetricVerdict.HELD: "unchanged",
}


def _plain_verdict(row: MetricRow) -> str:
    if row.is_large_fall:
        return "may be a real drop"
    if row.verdict is MetricVerdict.WORSE_HERE:
        return f"fell on your {numbers.NOUN}s, but too few to prove a general drop"
    if row.checks_nothing:
        return "nothing to check"
    if row.verdict is MetricVerdict.CANNOT_TELL and row.mde is not None:
        way = "drops" if row.direction is Direction.HIGHER else "rises"
        return f"too few {numbers.NOUN}s to see {way} under {numbers.size(row.unit, row.mde)}"
    if row.verdict is MetricVerdict.SHOWN and not row.aggregate:
        return "measured"
    if has_risen(row):
        return "higher, not proven"
    return "not proven" if not_proven(row) else _VERDICTS.get(row.verdict, row.verdict.words)


def nothing_to_check(row: MetricRow) -> str:
    """Return in how many answers a metric finds nothing more."""
    is_open = row.checked is not None and row.checked.verdict is MetricVerdict.CANNOT_TELL
    answers = f"{row.unchecked:,} of {counted(row.n, 'answer')}"
    return f"nothing left to check in {answers}{', may be chance' if is_open else ''}"


def _checked_verdict(row: MetricRow) -> str:
    """Return the same with the answers that hold nothing more to check."""
    text = _plain_verdict(row)
    if not row.unchecked:
        return text
    nothing = nothing_to_check(row)
    is_quiet = row.verdict in (*QUIET, MetricVerdict.CANNOT_TELL)
    return nothing if is_quiet else f"{text}, {nothing}"


def verdict_text(row: MetricRow, *, floors: bool = True) -> str:
    """Return the verdict on one metric in words, with the floor that it was held against.

    Args:
        floors: Name every floor; else one that is missed by what did not regress.
    """
    text = _checked_verdict(row)
    limit = numbers.value(row.unit, row.floor.limit if row.floor else None)
    is_floor = row.direction is Direction.HIGHER
    if floors and row.floor is not None and row.floor.met:
        text += f", {'floor' if is_floor else 'ceiling'} {limit} met"
    if below_floor(row) and (floors or row.verdict is not MetricVerdict.REGRESSED):
        beyond = f"below the {limit} demanded" if is_floor else f"above the {limit} allowed"
        # That no drop is proven is beside the point: the floor blocks.
        is_beside = row.verdict in (*QUIET, MetricVerdict.WORSE_HERE)
        text = beyond if is_beside else f"{text}, {beyond}"
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
            lines=tuple(map(shown, decision.lines)),
        )
    )


def _in_points(found: re.Match[str]) -> str:
    value = 100 * float(found["value"])
    if found["size"] or found["limit"] is not None:
        return f"{found['size'] or ''}{value:.3g} point{'' if f'{value:.3g}' == '1' else 's'}"
    return f"{value:.1f} %"


def tone(row: MetricRow) -> str:
    """Return ``bad`` where it blocks, ``look`` where it asks for one, ``good`` or ``calm``."""
    if row.blocks and (below_floor(row) or not row.verdict.uncompared):
        return "bad"
    if row.blocks or wants_a_look(row) or below_floor(row):
        return "look"
    return "good" if row.verdict is MetricVerdict.IMPROVED else "calm"
