"""The report for a terminal or a log: the verdict, then at most 40 lines of its width."""

import re
from collections.abc import Sequence
from functools import partial

from ragate.models import MetricRow, Report, SampleOutcome, SampleRow
from ragate.renderers._headline import ReportSign
from ragate.renderers._lines import WIDTH, as_wide_as, columns, wrapped
from ragate.renderers._numbers import NOTHING
from ragate.renderers._samples import score, scores
from ragate.renderers._view import View, metric_line
from ragate.renderers._words import Words, joined
from ragate.renderers.console._page import Page, at_most, command, padded
from ragate.renderers.console._sample import long

MOST_LINES = 40
MOST = 1000  # samples of which every one is listed
MOST_ROWS = 8
_MOST_HEAD = 12
_MOST_COMMANDS = 4
_TABLE_LINES = 11
_SCORES = 2
_NAME = 28  # a longer name has a line of its own
_HEAD = ("metric", "before", "now", "change", "allowed", "verdict")
_COLOURS = {ReportSign.RED: "red", ReportSign.NO_DECISION: "yellow", ReportSign.LOOK: "yellow"}
_TONES = {"bad": "red", "look": "yellow", "good": "green"}


def render(
    report: Report,
    *,
    colour: bool = False,
    ci: bool = True,
    verbose: bool = False,
    terminal: int = WIDTH,
) -> str:
    """Return the report as text of the terminal's width; a longer name or command is not broken.

    Args:
        colour: Use ANSI colours; a terminal shows them, a file should not.
        ci: The text goes to a workflow's log; see `ragate.support.escape.plain`.
        verbose: List everything; else at most 40 lines, the rest counted.
        terminal: Its columns.
    """
    page, view = Page(colour=colour, ci=ci), View(report)
    with as_wide_as(terminal):
        blocks = _whole(view, page) if verbose else _brief(view, page)
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _whole(view: View, page: Page) -> list[list[str]]:
    groups = view.groups.values()
    changed = [line for rows in groups for row in rows for line in long(row, page)]
    lists = [
        [page.paint(f"{title}: {len(cells):,}", "", bold=True), *_listed(cells, page)]
        for title, cells in view.lists.items()
    ]
    facts = page.sentence(joined(view.facts, " · "))
    samples = [*_title(view, page), *changed, *_counted(view, None)] if changed else []
    table = _table(view, page, view.all_rows)
    return [
        _head(view, page),
        table,
        samples,
        every_sample(view.report, page),
        facts,
        *lists,
        _tail(view, page),
    ]


def _listed(rows: Sequence[Sequence[Words]], page: Page) -> list[str]:
    """Return each row as wrapped lines behind a mark."""
    lines = (": ".join(filter(None, (page.words(cell, 300) for cell in row))) for row in rows)
    return [line for each in lines for line in wrapped(each, first="  - ", rest="    ")]


def _brief(view: View, page: Page) -> list[list[str]]:
    """Return the blocks; samples get the room that the others leave, and asides what is left."""
    head, tail = (
        at_most(_head(view, page, most=_MOST_HEAD), _MOST_HEAD),
        _tail(view, page, most=_MOST_COMMANDS),
    )
    figures, facts = _brief_table(view, page), at_most(page.sentence(joined(view.facts, " · ")), 4)
    asides = [page.sentence(words) for words in view.beside]
    room = MOST_LINES - sum(map(len, (head, figures, facts, tail))) - 4  # blank lines between
    samples = _samples(view, page, max(4, room - min(sum(map(len, asides)), 5)))
    return [head, figures, samples, facts + _fitting(asides, room - len(samples)), tail]


def _fitting(asides: list[list[str]], room: int) -> list[str]:
    """Return the first asides that fit, and how many do not."""
    lines: list[str] = []
    for number, aside in enumerate(asides):
        left = len(asides) - number
        if len(lines) + len(aside) + (left > 1) > room:
            return [*lines, f"… and {left} more note{'s' if left > 1 else ''} with --verbose"]
        lines += aside
    return lines


def _head(view: View, page: Page, most: int = MOST) -> list[str]:
    """Return the verdict, why, and what to do."""
    report, word = view.report, view.word
    said = re.escape(word)  # once is enough
    headline = re.sub(f"(?i)(?<=: ){said}: ", "", page.words(view.headline, 110), count=1)
    first, *rest = wrapped(f"{word}  {headline}")
    painted = page.paint(word, _colour(view) or "green", bold=True)
    lines = [page.paint(line, "yellow") for line in wrapped(view.rules)]
    lines += [first.replace(word, painted, 1), *rest]
    if report.created and report.run_id:
        when = page.foreign(report.created[:16].replace("T", " "), 20)
        lines.append(f"  run {page.foreign(report.run_id, 40)} of {when} UTC")
    last = view.notes[-1:]  # what to do has its place also where reasons are many
    notes = [page.sentence(words, first="  ", rest="    ") for words in view.notes[:-1]]
    told = [line for note in notes for line in note]
    step = [line for words in last for line in page.sentence(words, first="  ", rest="    ")]
    return [*lines, *at_most(told, max(1, most - len(lines) - len(step))), *step]


def _tail(view: View, page: Page, most: int | None = None) -> list[str]:
    decision, commands = view.report.decision, view.commands
    word = f"{decision.verdict.words.upper()} (exit {decision.exit_code})"
    if most is not None and len(commands) > most:
        commands = commands[: most - 1] + commands[-1:]
    painted = page.paint(word, _colour(view) or "green", bold=True)
    return [painted, *(command(page.foreign(text, 300)) for text in commands)]


def _colour(view: View) -> str:
    return _COLOURS.get(view.sign, "")


# The samples.


def _samples(view: View, page: Page, room: int) -> list[str]:
    """Return the samples that got worse in at most `room` lines; what does not fit is counted."""
    lines, shown = _title(view, page), 0
    for row in view.samples:
        entry = _entry(view, row, page)
        if shown and len(lines) + len(entry) + 2 > room:
            break
        lines += entry
        shown += 1
    return (lines + _counted(view, shown))[:room] if view.report.samples else []


def _title(view: View, page: Page) -> list[str]:
    return [page.paint(view.title, "", bold=True)] if view.samples else []


def _counted(view: View, shown: int | None) -> list[str]:
    counts, run = view.counted(shown), view.report.run_id
    everything = f": ragate report {run} --verbose" if run and shown is not None else ""
    return at_most(wrapped(f"and {', '.join(counts)}{everything}"), 2) if counts else []


def _entry(view: View, row: SampleRow, page: Page) -> list[str]:
    """Return who was asked what, what happened, and the scores."""
    colour = _colour(view) if row.got_worse else ""
    who, what = page.words(view.who(row), 76), page.words(view.what(row, wide=False, limit=60), 60)
    moved = page.words(scores(row), 40)
    first = moved.split(", ")
    few = ", ".join(first[:_SCORES])
    few += f" and {len(first) - _SCORES} more" if len(first) > _SCORES else ""
    named = at_most(wrapped(who, first="  ", rest="    "), 2)
    said = [what.rstrip(" :"), *([few] if moved not in what else [])]
    lines = [f"  {page.paint(named[0].strip(), colour)}", *named[1:]]
    for text in filter(None, said):
        lines += at_most(wrapped(text, first="    ", rest="      "), 2)
    return lines


def every_sample(report: Report, page: Page) -> list[str]:
    """Return a line for each sample: PASS or FAIL, its scores, and how long it took."""
    lines = [line for each in report.outcomes[:MOST] for line in _outcome(each, page)]
    more = len(report.outcomes) - MOST
    lines += [f"  and {more:,} more: --format json"] if more > 0 else []
    title = page.paint(f"Samples: {len(report.outcomes):,}", "", bold=True)
    return [title, *lines] if lines else []


def _outcome(outcome: SampleOutcome, page: Page) -> list[str]:
    sign = {True: "PASS", False: "FAIL", None: NOTHING}[outcome.passes]
    was = {True: "PASS", False: "FAIL", None: ""}[outcome.passed]
    sign += f" (was {was})" if was and was != sign else ""
    told = [
        f"{page.foreign(name, 60)} {NOTHING if value is None else score(value)}"
        for name, value in outcome.scores.items()
    ]
    took = [f"{outcome.latency_s:.2f} s"] if outcome.latency_s is not None else []
    text = f"{sign} {page.foreign(outcome.sample_id, 80)}: {', '.join([*told, *took])}"
    return wrapped(text, first="  ", rest="       ")


# The table of metrics, in the width of a terminal.


def _brief_table(view: View, page: Page) -> list[str]:
    """Return the figures of the first metrics, what blocks first, in a few lines."""
    for most in range(MOST_ROWS, 1, -1):
        lines = _table(view, page, view.rows[:most])
        if len(lines) <= _TABLE_LINES:
            return lines
    return at_most(_table(view, page, view.rows[:1]), _TABLE_LINES)


def _table(view: View, page: Page, rows: Sequence[MetricRow]) -> list[str]:
    """Return the figures of each metric; what has no row is named below."""
    lines = _aligned([(_HEAD, ""), *map(partial(_cells, page=page), rows)], page) if rows else []
    return lines + at_most(page.sentence(view.untold(rows, gated=False)), 3)


def _cells(row: MetricRow, page: Page) -> tuple[Sequence[str], str]:
    line = metric_line(row)
    cells = (line.before, line.now, line.change, line.allowed, line.verdict)
    return (page.words(line.what, 60), *cells), _TONES.get(line.tone, "")


def _aligned(rows: Sequence[tuple[Sequence[str], str]], page: Page) -> list[str]:
    """Return a table: figures to the right, words to the left, the last column wrapped."""
    figures = [i for i in range(1, len(_HEAD) - 1) if any(c[i] != NOTHING for c, _ in rows[1:])]
    widths = {i: max(columns(cells[i]) for cells, _ in rows) for i in figures}
    name = max(width for cells, _ in rows if (width := columns(cells[0])) <= _NAME)
    lines = []
    for cells, colour in rows:
        is_long = columns(cells[0]) > name
        start = padded("" if is_long else cells[0], name, right=False)
        start = "  ".join([start, *(padded(cells[i], widths[i], right=True) for i in figures)])
        text = wrapped(cells[-1], first=start + "  ", rest=" " * (columns(start) + 2))
        block = [cells[0]] if is_long else []
        lines += [page.paint(line.rstrip(), colour) for line in (*block, *text)]
    return lines
