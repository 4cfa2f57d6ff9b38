"""A report as its readers are told it: every sentence and figure, made once for each renderer.

A renderer fills a form with them, through the filter of its own sink, and leaves out what has no
room; what it says stands here and in the modules that this one names.
"""

from collections.abc import Sequence
from functools import cached_property

from ragate.models import MetricRow, MetricVerdict, Report, SampleRow, SliceRow, Verdict
from ragate.renderers import _numbers as numbers
from ragate.renderers._headline import ReportSign, headline, status_of
from ragate.renderers._lists import Rows, interval, lists, set_up, stages
from ragate.renderers._next_steps import compared, counts, footer, is_quiet, steps, typed
from ragate.renderers._notes import asides, failing_must_pass, notes, whose_rules
from ragate.renderers._numbers import NOTHING, counted
from ragate.renderers._samples import (
    asked,
    equal_scores,
    happened,
    sample_name,
    sections,
    shown_above,
    worse_count,
)
from ragate.renderers._words import (
    DocumentId,
    Name,
    VerdictWord,
    Words,
    fell,
    foreign,
    has_risen,
    in_points,
    joined,
    label,
    leading,
    listed,
    metric_words,
    not_proven,
    ordered,
    passes,
    said,
    shown_rows,
    tone,
    unsure_slices,
    verdict_text,
    visible_from,
    wants_a_look,
)

MOST_SAMPLES = 3  # that stand open in a comment
_MOST_HELD = 4
_TITLES = {"worse": "Got worse", "new": "Measured", "better": "Got better"}
_HELD = (MetricVerdict.HELD, MetricVerdict.UNCHANGED, MetricVerdict.IMPROVED)


class MetricLine:
    """One metric's figures as text.

    Attributes:
        visible: The least drop that shows.
        moved: Samples that fell, and that rose.
        verdict: With the floor that it was held against.
        brief: Without one that is met.
        tone: As of `tone`.
    """

    def __init__(self, row: MetricRow) -> None:
        unit = row.unit
        visible = visible_from(row)
        self.what = label(row)
        self.before = numbers.value(unit, row.baseline)
        self.now = numbers.value(unit, row.candidate)
        self.change = numbers.change(unit, row.change)
        self.allowed = numbers.allowed(unit, row.allowed)
        self.interval = interval(row)
        self.visible = NOTHING if visible is None else numbers.size(unit, visible)
        self.moved = f"{row.worse:,} / {row.better:,}" if row.worse or row.better else NOTHING
        self.n = f"{row.n:,}"
        self.passes = passes(row)
        self.verdict = verdict_text(row)
        self.brief = verdict_text(row, floors=False)
        self.tone = tone(row)


class View:
    """All that is said of one report."""

    def __init__(self, report: Report) -> None:
        self.report = report = in_points(report)
        self.sign = status_of(report)
        self.headline = headline(report)
        # Of a page that shows gate, sign or word beside it.
        self.happened = [word for word in self.headline if not isinstance(word, VerdictWord)]
        is_first = self.sign is ReportSign.BOOTSTRAP
        self.word = "MEASURED" if is_first else report.decision.verdict.words.upper()
        self.rules = whose_rules(report)
        self.groups = sections(report.samples)
        self.samples = shown_above(report)
        self.asides = asides(report)
        self.steps = steps(report)
        self.commands = typed(report)
        self.facts = [*counts(report), *footer(report)]
        if together := compared(report):
            self.facts.insert(0, [together])
        self._failing = failing_must_pass(report)

    @cached_property
    def notes(self) -> list[Words]:
        return notes(self.report, {row.sample_id for row in self.samples[:MOST_SAMPLES]})

    @cached_property
    def lists(self) -> dict[str, Rows]:
        return lists(self.report)

    @cached_property
    def beside(self) -> list[Words]:
        """What a page has in lists and a terminal in a few lines."""
        decision = self.report.decision
        certainty: list[Words] = []
        patterns: list[str] = []
        if decision.verdict is Verdict.PASSED:
            certainty = [[foreign(line, 300)] for line in decision.lines]
            patterns = [f"{row.symptom}: {row.likely_cause}" for row in self.report.diagnosis]
        sentences = [
            set_up(self.report),
            *(["Warning: ", foreign(text, 300)] for text in decision.warnings),
            *self.asides,
            stages(self.report),
            said("Certainty: {}", joined(certainty, " · ")),
            *(["What the pattern suggests: ", foreign(text, 300)] for text in patterns),
        ]
        return [words for words in sentences if words]

    # The table of metrics.

    @cached_property
    def rows(self) -> list[MetricRow]:
        """The metrics, and the slices to look at; what blocks stands first."""
        return shown_rows(self.report.decision)

    @cached_property
    def all_rows(self) -> list[MetricRow]:
        slices = ordered(self.report.decision.slices)
        return [*self.rows, *(row for row in slices if row not in self.rows)]

    @cached_property
    def moved(self) -> list[MetricRow]:
        """Those that a reader has to see: all of them where nothing was compared."""
        if not self.is_compared:
            return self.rows
        unsure = unsure_slices(self.report.decision)
        return [row for row in self.rows if row in unsure or _has_moved(row)]

    @property
    def is_compared(self) -> bool:
        return any(row.baseline is not None for row in self.rows)

    def untold(self, told: Sequence[MetricRow], *, gated: bool = True) -> Words:
        """Return what stands in no row and must be known: what blocks as well, fell, or held.

        Args:
            told: The rows that stand there. gated: Say nothing of what gates nothing.
        """
        rows_by_title: dict[str, list[MetricRow]] = {title: [] for title in _UNTOLD}
        for row in self.rows:
            if row not in told:
                rows_by_title[_title_of(row)].append(row)
        # Those stand first that lost the most of what is allowed.
        rows_by_title[_LOWER].sort(key=lambda row: row.lost / (row.allowed or 1.0), reverse=True)
        if gated:
            del rows_by_title[_BESIDE]

        sentences: list[Words] = []
        for title, rows in rows_by_title.items():
            most = len(rows) if title == _BLOCKS else _MOST_HELD
            names = listed(map(_UNTOLD[title], rows), most)
            sentences.append(said(f"{title}: {{}}.", names))
        return joined(sentences, " ")

    # The questions.

    @property
    def title(self) -> str:
        questions = counted(worse_count(self.report), numbers.NOUN)
        if "worse" not in self.groups:
            return "A first look at the answers"
        if self.sign in (ReportSign.RED, ReportSign.NO_DECISION):
            return f"{questions} got worse"
        if self.sign is not ReportSign.LOOK or is_quiet(self.report):
            return f"Optional: look at {questions} that got worse"
        return f"Look at {questions} before you merge: worse than before"

    def counted(self, shown: int | None) -> list[str]:
        """Return how many samples changed beside those that have a row.

        Args:
            shown: How many have one; None for each.
        """
        report = self.report
        words: list[str] = []
        if shown is not None:
            more = len(self.groups.get("worse") or self.groups.get("new") or []) - shown
            better = len(self.groups.get("better", []))
            if more > 0:
                words.append(counted(more, f"more {numbers.NOUN}"))
            if better:
                words.append(f"{better:,} that got better")
        if report.left_out:
            words.append(f"{report.left_out:,} more changed and not listed")
        if equal := equal_scores(report.samples):
            words.append(f"{equal:,} with other outputs and equal scores")
        return words

    def folded(self) -> dict[str, list[SampleRow]]:
        """Return the samples that do not stand open, by their title."""
        groups = dict(self.groups)
        first = "worse" if "worse" in groups else "new"
        if first in groups:
            picked = {row.sample_id for row in self.samples}
            others = [row for row in groups[first] if row.sample_id not in picked]
            groups[first] = [*self.samples[MOST_SAMPLES:], *others]
        return {_TITLES[key]: rows for key, rows in groups.items() if rows}

    def who(self, row: SampleRow) -> Words:
        """Return who was asked what."""
        parts: list[Words] = [[sample_name(self.report, row.sample_id)]]
        if row.tags:
            parts.append([Name(row.tags[0])])
        if row.must_pass:
            parts.append(said("**must pass**"))
        parts.append([foreign(asked(row), 110)])
        return joined(parts, " · ")

    def what(self, row: SampleRow, *, wide: bool = True, limit: int = 110) -> Words:
        """Return what happened, each text cut to `limit` characters."""
        # A sample that stands open, on a short line, says what it fails; of others the notes do.
        fails = self._failing.get(row.sample_id, []) if limit < 110 else []
        pages = self.report.links.documents
        words: Words = []
        for word in happened(row, wide=wide):
            if isinstance(word, DocumentId):
                words.append(leading(DocumentId(foreign(word, limit)), pages.get(word, "")))
            else:
                words.append(word)
        return joined([fails, words])


def _title_of(row: MetricRow) -> str:
    """Return by which title a row is told that stands in no table."""
    if row.blocks:
        return _BLOCKS
    if not row.gates or row.verdict not in _HELD or isinstance(row, SliceRow):
        return _BESIDE
    if fell(row):
        return _UNPROVEN if not_proven(row) else _LOWER
    if has_risen(row):
        return _HIGHER
    return _NOTHING if row.checks_nothing else _CALM


def _sized(row: MetricRow) -> Words:
    """Return the metric with the size of its change."""
    if not row.change:
        return label(row)
    return [*label(row), f" ({numbers.change(row.unit, row.change)})"]


# What stands in no table, by its title, and how each row of it is told.
_BLOCKS = "**Blocks as well**"
_UNPROVEN = "No proven drop"
_LOWER = "Lower, by no more than is allowed"
_HIGHER = "Higher, not proven"
_NOTHING = "Nothing to check"
_CALM = "Unchanged"
_BESIDE = "Also measured"
_UNTOLD = {
    **dict.fromkeys((_BLOCKS, _UNPROVEN, _LOWER, _HIGHER), _sized),
    **dict.fromkeys((_NOTHING, _CALM), metric_words),
    _BESIDE: label,
}


def _has_moved(row: MetricRow) -> bool:
    before, now = numbers.value(row.unit, row.baseline), numbers.value(row.unit, row.candidate)
    shows_better = row.verdict is MetricVerdict.IMPROVED and before != now
    is_open = row.verdict.uncompared and row.gates
    return row.blocks or row.accepted or shows_better or wants_a_look(row) or is_open
