"""The report for a terminal or a log: the verdict, then at most 40 lines of its width."""

from collections.abc import Sequence

import click

from ragate.guards.escape import one_line, plain
from ragate.models import MetricRow, Report, SampleOutcome, SampleRow
from ragate.renderers._headline import ReportSign
from ragate.renderers._lines import WIDTH, as_wide_as, columns, width, wrapped
from ragate.renderers._numbers import NOTHING
from ragate.renderers._samples import rank_words, score, scores
from ragate.renderers._view import MetricLine, View
from ragate.renderers._words import ForeignText, Words, joined

COMMAND = "  -> "
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


class Page:
    """Foreign text made harmless, colours where they are wanted, lines of a terminal's width."""

    def __init__(self, *, colour: bool, ci: bool) -> None:
        self._colour = colour
        self._ci = ci

    def foreign(self, text: str, limit: int = WIDTH) -> str:
        return plain(one_line(text, limit), ci=self._ci)

    def words(self, words: Words, limit: int = WIDTH) -> str:
        return "".join(self.foreign(w, limit) if isinstance(w, ForeignText) else w for w in words)

    def sentence(self, words: Words, *, first: str = "", rest: str = "  ") -> list[str]:
        """Return the words in lines."""
        return wrapped(self.words(words, 300), first=first, rest=rest)

    def paint(self, text: str, colour: str, *, bold: bool = False) -> str:
        if not self._colour or not (colour or bold):
            return text
        return click.style(text, fg=colour or None, bold=bold or None)

    def title(self, text: str) -> str:
        return self.paint(text, "", bold=True)


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
        ci: The text goes to a workflow's log; see `ragate.guards.escape.plain`.
        verbose: List everything; else at most 40 lines, the rest counted.
        terminal: Its columns.
    """
    page, view = Page(colour=colour, ci=ci), View(report)
    with as_wide_as(terminal):
        blocks = _whole(view, page) if verbose else _brief(view, page)
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _whole(view: View, page: Page) -> list[list[str]]:
    changed = [line for rows in view.groups.values() for row in rows for line in long(row, page)]
    lists = [
        [page.title(f"{title}: {len(cells):,}"), *_listed(cells, page)]
        for title, cells in view.lists.items()
    ]
    return [
        _head(view, page),
        _table(view, page, view.all_rows),
        [*_title(view, page), *changed, *_counted(view, None)] if changed else [],
        every_sample(view.report, page),
        _facts(view, page),
        *lists,
        _tail(view, page),
    ]


def _listed(rows: Sequence[Sequence[Words]], page: Page) -> list[str]:
    """Return each row as wrapped lines behind a mark."""
    lines = (": ".join(filter(None, (page.words(cell, 300) for cell in row))) for row in rows)
    return [line for each in lines for line in wrapped(each, first="  - ", rest="    ")]


def _brief(view: View, page: Page) -> list[list[str]]:
    """Return the blocks; samples get the room that the others leave, and asides what is left."""
    head = at_most(_head(view, page, most=_MOST_HEAD), _MOST_HEAD)
    figures, facts = _brief_table(view, page), at_most(_facts(view, page), 4)
    tail = _tail(view, page, most=_MOST_COMMANDS)
    asides = [page.sentence(words) for words in view.beside]
    room = MOST_LINES - sum(map(len, (head, figures, facts, tail))) - 4  # blank lines between
    samples = _samples(view, page, max(4, room - min(sum(map(len, asides)), 5)))
    return [head, figures, samples, facts + _fitting(asides, room - len(samples)), tail]


def _facts(view: View, page: Page) -> list[str]:
    return page.sentence(joined(view.facts, " · "))


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
    first, *rest = wrapped(f"{word}  {page.words(view.happened, 110)}")
    lines = [page.paint(line, "yellow") for line in wrapped(view.rules)]
    lines += [first.replace(word, _verdict(view, page, word), 1), *rest]
    if report.created and report.run_id:
        when = page.foreign(report.created[:16].replace("T", " "), 20)
        lines.append(f"  run {page.foreign(report.run_id, 40)} of {when} UTC")
    notes = [page.sentence(words, first="  ", rest="    ") for words in view.notes]
    step = notes.pop() if notes else []  # what to do has its place also where reasons are many
    told = [line for note in notes for line in note]
    return [*lines, *at_most(told, max(1, most - len(lines) - len(step))), *step]


def _tail(view: View, page: Page, most: int | None = None) -> list[str]:
    decision, commands = view.report.decision, view.commands
    word = f"{decision.verdict.words.upper()} (exit {decision.exit_code})"
    if most is not None and len(commands) > most:
        commands = commands[: most - 1] + commands[-1:]
    # Each in one line whatever its length: so it can be copied.
    return [_verdict(view, page, word), *(COMMAND + page.foreign(text, 300) for text in commands)]


def _verdict(view: View, page: Page, word: str) -> str:
    return page.paint(word, _COLOURS.get(view.sign, "green"), bold=True)


def at_most(lines: list[str], most: int) -> list[str]:
    """Return the first lines; a cut is marked by an ellipsis."""
    if len(lines) <= most:
        return lines
    last = lines[most - 1]
    while columns(last) > width() - 2 and " " in last.strip():
        last = last.rpartition(" ")[0]
    return [*lines[: most - 1], f"{last} …"]


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
    return [page.title(view.title)] if view.samples else []


def _counted(view: View, shown: int | None) -> list[str]:
    counts, run = view.counted(shown), view.report.run_id
    everything = f": ragate report {run} --verbose" if run and shown is not None else ""
    return at_most(wrapped(f"and {', '.join(counts)}{everything}"), 2) if counts else []


def _entry(view: View, row: SampleRow, page: Page) -> list[str]:
    """Return who was asked what, what happened, and the scores."""
    colour = _COLOURS.get(view.sign, "") if row.got_worse else ""
    who, what = page.words(view.who(row), 76), page.words(view.what(row, wide=False, limit=60), 60)
    moved = page.words(scores(row), 40)
    first = moved.split(", ")
    few = ", ".join(first[:_SCORES])
    few += f" and {len(first) - _SCORES} more" if len(first) > _SCORES else ""
    named = at_most(wrapped(who, first="  ", rest="    "), 2)
    lines = [f"  {page.paint(named[0].strip(), colour)}", *named[1:]]
    for text in (what.rstrip(" :"), few if moved not in what else ""):
        lines += at_most(wrapped(text, first="    ", rest="      "), 2) if text else []
    return lines


def every_sample(report: Report, page: Page) -> list[str]:
    """Return a line for each sample: PASS or FAIL, its scores, and how long it took."""
    lines = [line for each in report.outcomes[:MOST] for line in _outcome(each, page)]
    more = len(report.outcomes) - MOST
    lines += [f"  and {more:,} more: --format json"] if more > 0 else []
    return [page.title(f"Samples: {len(report.outcomes):,}"), *lines] if lines else []


def _outcome(outcome: SampleOutcome, page: Page) -> list[str]:
    signs = {True: "PASS", False: "FAIL", None: NOTHING}
    sign = signs[outcome.passes]
    if outcome.passed not in (None, outcome.passes):
        sign += f" (was {signs[outcome.passed]})"
    told = [
        f"{page.foreign(name, 60)} {NOTHING if value is None else score(value)}"
        for name, value in outcome.scores.items()
    ]
    told += [f"{outcome.latency_s:.2f} s"] if outcome.latency_s is not None else []
    text = f"{sign} {page.foreign(outcome.sample_id, 80)}: {', '.join(told)}"
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
    lines = _aligned([MetricLine(row) for row in rows], page) if rows else []
    return lines + at_most(page.sentence(view.untold(rows, gated=False)), 3)


def _aligned(metrics: Sequence[MetricLine], page: Page) -> list[str]:
    """Return a table: figures to the right, words to the left, the last column wrapped."""
    cells = [
        (page.words(each.what, 60), each.before, each.now, each.change, each.allowed, each.verdict)
        for each in metrics
    ]
    figures = [column for column in range(1, 5) if any(row[column] != NOTHING for row in cells)]
    rows = [_HEAD, *cells]
    widths = {column: max(columns(row[column]) for row in rows) for column in figures}
    name = max(width for row in rows if (width := columns(row[0])) <= _NAME)
    lines = []
    for row, colour in zip(rows, ["", *(_TONES.get(m.tone, "") for m in metrics)], strict=True):
        is_long = columns(row[0]) > name
        padded = [_padded("" if is_long else row[0], -name)]
        padded += [_padded(row[column], widths[column]) for column in figures]
        start = "  ".join(padded) + "  "
        text = wrapped(row[-1], first=start, rest=" " * columns(start))
        block = [row[0], *text] if is_long else text
        lines += [page.paint(line.rstrip(), colour) for line in block]
    return lines


def _padded(text: str, width: int) -> str:
    """Fill `text` with spaces up to `width` columns: in front, or where it is negative behind."""
    space = " " * (abs(width) - columns(text))
    return text + space if width < 0 else space + text


# One sample in full, with what was before.


def long(row: SampleRow, page: Page, colour: str = "") -> list[str]:
    """Return everything: expected, retrieved, answered, scores and cause, with what was before."""
    fields = [
        ("earlier", _earlier(row, page)),
        ("question", page.foreign(row.query, 200)),
        ("expected", _expected(row, page)),
        *_retrieved(row, page),
        *_answers(row, page),
        ("scores", page.words(scores(row))),
    ]
    if row.cause is not None:
        fields.append(("cause", f"{row.cause.kind.words}: {page.foreign(row.cause.evidence, 200)}"))
    marks = [page.paint(page.foreign(row.sample_id, 60), colour)]
    marks += ["must-pass"] if row.must_pass else []
    marks += [", ".join(page.foreign(tag, 30) for tag in row.tags[:3])] if row.tags else []
    lines = [f"  {'  '.join(marks)}"]
    for name, text in fields:
        lines += wrapped(text, first=f"    {name:<10}", rest=" " * 14) if text else []
    return lines


def _earlier(row: SampleRow, page: Page) -> str:
    """Return the last turn before the question, and how many there were before it."""
    if not row.messages:
        return ""
    last, more = row.messages[-1], len(row.messages) - 1
    before = f"  ({more:,} before it)" if more else ""
    return f"{last.role}: {page.foreign(last.content, 120)}{before}"


def _expected(row: SampleRow, page: Page) -> str:
    changes = {change.doc_id: change for change in row.ranks}
    shown = []
    for doc in row.expected[:3]:
        change = changes.get(doc)
        alone = row.baseline is None or (change is not None and change.before == change.after)
        rank = f" ({rank_words(change, alone)})" if change is not None else ""
        shown.append(page.foreign(doc, 50) + rank)
    return ", ".join(shown) + _and_more(len(row.expected) - 3)


def _retrieved(row: SampleRow, page: Page) -> list[tuple[str, str]]:
    """Return the first documents of both sides with their ranks; an asterisk marks expected ones.

    Nothing where none came and none is expected.
    """
    sides = [side for side in (row.candidate, row.baseline) if side is not None]
    if row.candidate is None or not (row.expected or any(side.docs for side in sides)):
        return []
    rankings = []
    for docs in dict.fromkeys(side.docs for side in sides):
        shown = [
            f"{rank} {page.foreign(doc, 40)}{'*' if doc in row.expected else ''}"
            for rank, doc in enumerate(docs[:4], start=1)
        ]
        rankings.append("  ".join(shown) + _and_more(len(docs) - 4) or "nothing")
    return list(zip(("retrieved", "  before"), rankings, strict=False))


def _and_more(count: int) -> str:
    return f" and {count} more" if count > 0 else ""


def _answers(row: SampleRow, page: Page) -> list[tuple[str, str]]:
    after, before = row.candidate, row.baseline
    if after is None:
        return []
    if after.error is not None:
        return [("failed", page.foreign(after.error, 200))]
    texts = [after.answer]
    if before is not None and before.answer not in (None, after.answer):
        texts.append(before.answer)
    shown = ("" if text is None else page.foreign(text, 200) or "(empty)" for text in texts)
    return list(zip(("answer", "  before"), shown, strict=False))
