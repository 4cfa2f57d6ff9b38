"""The report for a terminal or a log: the verdict, then at most 40 lines of its width."""

from collections.abc import Sequence

import click

from ragate.guards.escape import one_line, plain
from ragate.models import MetricRow, Report, SampleOutcome, SampleRow
from ragate.renderers._headline import ReportSign
from ragate.renderers._lines import WIDTH, as_wide_as, columns, width, wrapped
from ragate.renderers._numbers import NOTHING, counted
from ragate.renderers._samples import rank_words, score, scores
from ragate.renderers._view import MetricLine, View
from ragate.renderers._words import ForeignText, Words, joined

COMMAND = "  -> "
MOST_LINES = 40
MOST = 1000  # samples, or lines of reasons, that are all listed
MOST_ROWS = 8
_MOST_HEAD = 12
_MOST_COMMANDS = 4
_TABLE_LINES = 11
_MOST_FACTS = 4
_MOST_SCORES = 2
_LONGEST = 300  # characters of a sentence, a cell or a command
_WIDEST_NAME = 28  # columns; a wider name has a line of its own
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
        return wrapped(self.words(words, _LONGEST), first=first, rest=rest)

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
    samples = []
    for rows in view.groups.values():
        for row in rows:
            samples += long(row, page)
    if samples:
        samples = [*_title(view, page), *samples, *_counted(view, None)]

    lists = [
        [page.title(f"{title}: {len(rows):,}"), *_listed(rows, page)]
        for title, rows in view.lists.items()
    ]
    return [
        _head(view, page),
        _table(view, page, view.all_rows),
        samples,
        every_sample(view.report, page),
        _facts(view, page),
        *lists,
        _tail(view, page),
    ]


def _listed(rows: Sequence[Sequence[Words]], page: Page) -> list[str]:
    """Return each row as wrapped lines behind a mark."""
    lines = []
    for row in rows:
        cells = [page.words(cell, _LONGEST) for cell in row]
        lines += wrapped(": ".join(filter(None, cells)), first="  - ", rest="    ")
    return lines


def _brief(view: View, page: Page) -> list[list[str]]:
    """Return the blocks; samples get the room that the others leave, and asides what is left."""
    head = at_most(_head(view, page, most=_MOST_HEAD), _MOST_HEAD)
    table = _brief_table(view, page)
    facts = at_most(_facts(view, page), _MOST_FACTS)
    tail = _tail(view, page, most=_MOST_COMMANDS)
    asides = [page.sentence(words) for words in view.beside]

    blank_lines = 4  # between the five blocks
    room = MOST_LINES - blank_lines - sum(map(len, (head, table, facts, tail)))
    room_of_asides = min(sum(map(len, asides)), 5)
    samples = _samples(view, page, max(4, room - room_of_asides))
    return [head, table, samples, facts + _fitting(asides, room - len(samples)), tail]


def _facts(view: View, page: Page) -> list[str]:
    return page.sentence(joined(view.facts, " · "))


def _fitting(asides: list[list[str]], room: int) -> list[str]:
    """Return the first asides that fit, and how many do not."""
    lines: list[str] = []
    for number, aside in enumerate(asides):
        left = len(asides) - number
        needed = len(aside) if left == 1 else len(aside) + 1  # a line for the count of the others
        if len(lines) + needed > room:
            return [*lines, f"… and {counted(left, 'more note')} with --verbose"]
        lines += aside
    return lines


def _head(view: View, page: Page, most: int = MOST) -> list[str]:
    """Return the verdict, why, and what to do."""
    report, word = view.report, view.word
    lines = [page.paint(line, "yellow") for line in wrapped(view.rules)]
    first, *rest = wrapped(f"{word}  {page.words(view.happened, 110)}")
    lines += [first.replace(word, _verdict(view, page, word), 1), *rest]
    if report.created and report.run_id:
        when = page.foreign(report.created[:16].replace("T", " "), 20)
        lines.append(f"  run {page.foreign(report.run_id, 40)} of {when} UTC")

    notes = [page.sentence(words, first="  ", rest="    ") for words in view.notes]
    next_step = notes.pop() if notes else []  # it has its place also where reasons are many
    reasons = [line for note in notes for line in note]
    room = max(1, most - len(lines) - len(next_step))
    return [*lines, *at_most(reasons, room), *next_step]


def _tail(view: View, page: Page, most: int | None = None) -> list[str]:
    decision, commands = view.report.decision, view.commands
    word = f"{decision.verdict.words.upper()} (exit {decision.exit_code})"
    if most is not None and len(commands) > most:
        first, last = commands[: most - 1], commands[-1:]
        commands = first + last
    # Each in one line whatever its length: so it can be copied.
    lines = [COMMAND + page.foreign(command, _LONGEST) for command in commands]
    return [_verdict(view, page, word), *lines]


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
    if not view.report.samples:
        return []
    lines, shown = _title(view, page), 0
    for row in view.samples:
        entry = _entry(view, row, page)
        if shown and len(lines) + len(entry) + 2 > room:  # 2 for the count of the others
            break
        lines += entry
        shown += 1
    return [*lines, *_counted(view, shown)][:room]


def _title(view: View, page: Page) -> list[str]:
    return [page.title(view.title)] if view.samples else []


def _counted(view: View, shown: int | None) -> list[str]:
    counts = view.counted(shown)
    if not counts:
        return []
    run = view.report.run_id
    command = f": ragate report {run} --verbose" if run and shown is not None else ""
    return at_most(wrapped(f"and {', '.join(counts)}{command}"), 2)


def _entry(view: View, row: SampleRow, page: Page) -> list[str]:
    """Return who was asked what, what happened, and the scores."""
    who = page.words(view.who(row), 76)
    first, *rest = at_most(wrapped(who, first="  ", rest="    "), 2)
    colour = _COLOURS.get(view.sign, "") if row.got_worse else ""
    lines = [f"  {page.paint(first.strip(), colour)}", *rest]

    what = page.words(view.what(row, wide=False, limit=60), 60)
    changes = page.words(scores(row), 40)
    texts = [what.rstrip(" :")]
    if changes not in what:
        texts.append(_first_scores(changes.split(", ")))
    for text in filter(None, texts):
        lines += at_most(wrapped(text, first="    ", rest="      "), 2)
    return lines


def _first_scores(changes: list[str]) -> str:
    more = len(changes) - _MOST_SCORES
    return ", ".join(changes[:_MOST_SCORES]) + _and_more(more)


def every_sample(report: Report, page: Page) -> list[str]:
    """Return a line for each sample: PASS or FAIL, its scores, and how long it took."""
    count = len(report.outcomes)
    if not count:
        return []
    lines = [page.title(f"Samples: {count:,}")]
    for outcome in report.outcomes[:MOST]:
        lines += _outcome(outcome, page)
    if count > MOST:
        lines.append(f"  and {count - MOST:,} more: --format json")
    return lines


def _outcome(outcome: SampleOutcome, page: Page) -> list[str]:
    signs = {True: "PASS", False: "FAIL", None: NOTHING}
    now, before = outcome.passes, outcome.passed
    sign = signs[now] if before in (None, now) else f"{signs[now]} (was {signs[before]})"

    figures = []
    for name, value in outcome.scores.items():
        figure = NOTHING if value is None else score(value)
        figures.append(f"{page.foreign(name, 60)} {figure}")
    if outcome.latency_s is not None:
        figures.append(f"{outcome.latency_s:.2f} s")

    text = f"{sign} {page.foreign(outcome.sample_id, 80)}: {', '.join(figures)}"
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
    rows = [_HEAD, *cells]
    colours = ["", *(_TONES.get(each.tone, "") for each in metrics)]

    figures = [column for column in range(1, 5) if any(row[column] != NOTHING for row in cells)]
    widths = {column: max(columns(row[column]) for row in rows) for column in figures}
    name_widths = [columns(row[0]) for row in rows]
    name_width = max(each for each in name_widths if each <= _WIDEST_NAME)

    lines = []
    for row, colour in zip(rows, colours, strict=True):
        name, verdict = row[0], row[-1]
        is_wide = columns(name) > _WIDEST_NAME
        start = " " * name_width if is_wide else name + _space(name, name_width)
        for column in figures:
            start += "  " + _space(row[column], widths[column]) + row[column]
        start += "  "

        block = [name] if is_wide else []
        block += wrapped(verdict, first=start, rest=" " * columns(start))
        lines += [page.paint(line.rstrip(), colour) for line in block]
    return lines


def _space(text: str, width: int) -> str:
    """Return the spaces that fill `text` up to `width` columns."""
    return " " * (width - columns(text))


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
    if row.must_pass:
        marks.append("must-pass")
    if row.tags:
        marks.append(", ".join(page.foreign(tag, 30) for tag in row.tags[:3]))

    lines = [f"  {'  '.join(marks)}"]
    for name, text in fields:
        if text:
            lines += wrapped(text, first=f"    {name:<10}", rest=" " * 14)
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
        text = page.foreign(doc, 50)
        if doc in changes:
            change = changes[doc]
            has_one_rank = row.baseline is None or change.before == change.after
            text += f" ({rank_words(change, has_one_rank)})"
        shown.append(text)
    return ", ".join(shown) + _and_more(len(row.expected) - 3)


def _retrieved(row: SampleRow, page: Page) -> list[tuple[str, str]]:
    """Return the first documents of both sides with their ranks; an asterisk marks expected ones.

    Nothing where none came and none is expected.
    """
    if row.candidate is None:
        return []
    sides = [side.docs for side in (row.candidate, row.baseline) if side is not None]
    if not row.expected and not any(sides):
        return []

    rankings = []
    for docs in dict.fromkeys(sides):  # two that are equal are shown once
        shown = []
        for rank, doc in enumerate(docs[:4], start=1):
            mark = "*" if doc in row.expected else ""
            shown.append(f"{rank} {page.foreign(doc, 40)}{mark}")
        text = "  ".join(shown) + _and_more(len(docs) - 4)
        rankings.append(text or "nothing")
    return list(zip(("retrieved", "  before"), rankings, strict=False))


def _and_more(count: int) -> str:
    return f" and {count} more" if count > 0 else ""


def _answers(row: SampleRow, page: Page) -> list[tuple[str, str]]:
    after, before = row.candidate, row.baseline
    if after is None:
        return []
    if after.error is not None:
        return [("failed", page.foreign(after.error, 200))]
    fields = [("answer", _answer(after.answer, page))]
    if before is not None and before.answer != after.answer:
        fields.append(("  before", _answer(before.answer, page)))
    return fields


def _answer(text: str | None, page: Page) -> str:
    return "" if text is None else page.foreign(text, 200) or "(empty)"
