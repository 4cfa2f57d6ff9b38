"""The report for a terminal or a log: verdict first and last, 40 lines of 80 columns between."""

import json
from collections.abc import Sequence

from ragate.models import MetricRow, MetricVerdict, Report, SampleOutcome
from ragate.renderers._headline import ReportSign, headline, status_of
from ragate.renderers._lines import columns, wrapped
from ragate.renderers._next_steps import compared, next_words, proof, reproduce
from ragate.renderers._numbers import NOTHING, TERMINAL, counted, lacking, sample_counts, spending
from ragate.renderers._samples import sections
from ragate.renderers._story import likely
from ragate.renderers._whose_rules import checked_note, checkout_note, golden_set_note
from ragate.renderers._words import (
    as_sentence,
    below_floor,
    ordered,
    passes,
    shown_rows,
    verdict_text,
    wants_a_look,
)
from ragate.renderers.console._asides import briefly, changed_here, fully, passing, why_unscored
from ragate.renderers.console._changed import changed_briefly, changed_fully
from ragate.renderers.console._page import Page, at_most, bullets, command, padded

MOST_LINES = 40
_MOST_REASONS = 3
_MOST_HEAD = 9
_MOST_COMMANDS = 4
_SENTENCE = 300
_COLOURS = {
    ReportSign.RED: "red",
    ReportSign.NO_DECISION: "yellow",
    ReportSign.LOOK: "yellow",
}


def render(report: Report, *, colour: bool = False, ci: bool = True, verbose: bool = False) -> str:
    """Return the report as text of 80 columns; a longer name or command is not broken.

    Args:
        colour: Use ANSI colours; a terminal shows them, a file should not.
        ci: The text goes to a workflow's log; see `ragate.support.escape.plain`.
        verbose: List everything; else at most 40 lines, the rest counted.
    """
    page = Page(colour=colour, ci=ci)
    blocks = _whole(report, page) if verbose else _brief(report, page)
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _whole(report: Report, page: Page) -> list[list[str]]:
    return [
        _head(report, page, most=None),
        set_up(report, page),
        table(report, page, most=None),
        changed_fully(report, page, _colour(report)),
        sureness(report, page),
        passing(report, page),
        every_sample(report, page),
        _facts(report, page),
        fully(report, page),
        _tail(report, page),
    ]


def _brief(report: Report, page: Page) -> list[list[str]]:
    """Return the blocks; samples get the room that the others leave, and notes what is left."""
    head = at_most(_head(report, page), _MOST_HEAD)
    figures, facts = brief_table(report, page), at_most(_facts(report, page), 4)
    tail = _tail(report, page, most=_MOST_COMMANDS)
    notes = briefly(report, page)
    facts = [*at_most(set_up(report, page, most=5), 2), *facts]
    kept = sum(map(len, (head, figures, facts, tail))) + 4  # blank lines between the blocks
    asides = sum(map(len, notes))
    samples = changed_briefly(
        report, page, _colour(report), max(4, MOST_LINES - kept - min(asides, 5))
    )
    shown = _first_notes(notes, MOST_LINES - kept - len(samples))
    return [head, figures, samples, facts + shown, tail]


def _first_notes(notes: list[list[str]], room: int) -> list[str]:
    """Return the first notes that fit, and how many do not."""
    lines: list[str] = []
    for number, note in enumerate(notes):
        last = number == len(notes) - 1
        if len(lines) + len(note) + (not last) > room:
            return [*lines, f"… and {counted(len(notes) - number, 'note')} more with --verbose"]
        lines += note
    return lines


def _head(report: Report, page: Page, most: int | None = _MOST_REASONS) -> list[str]:
    """Return the verdict, why, and what did it as far as the pattern tells."""
    note = " ".join(filter(None, (checkout_note(report), golden_set_note(report))))
    lines = [page.paint(line, "yellow") for line in wrapped(note)]
    lines += _verdict(report, page, "")
    if report.created:
        when = page.foreign(report.created[:16].replace("T", " "), 20)
        lines.append(f"  run {page.foreign(report.run_id, 40)} of {when} UTC")
    lines += wrapped(changed_here(report, page), first="  ", rest="    ")
    step = page.words(next_words(report, TERMINAL), _SENTENCE)
    reasons = _reasons(report)
    shown = [page.foreign(reason, _SENTENCE if most is None else 150) for reason in reasons[:most]]
    shown += [f"{len(reasons) - most:,} more reasons"] if most and len(reasons) > most else []
    if (seen := likely(report)) is not None:
        told = (seen.symptom, seen.likely_cause, seen.action)
        symptom, cause, action = (page.foreign(text, 160) for text in told)
        shown.append(f"likely: {symptom}: {cause}. {as_sentence(action)}")
    if origin := page.words(checked_note(report), 60):
        shown.append(origin)
    return (
        lines + bullets(shown) + (wrapped(f"Next: {step}", first="  ", rest="    ") if step else [])
    )


def _reasons(report: Report) -> list[str]:
    """Return why it failed or is undecided, as far as neither table nor samples say it."""
    listed = {row.sample_id for row in report.samples}
    told = [f"must-pass {row.sample_id}:" for row in report.decision.must_pass]
    told = [text for text in told if text[len("must-pass ") : -1] in listed]
    told += _told_by_table(report)
    return [each for each in report.decision.reasons if not each.startswith(tuple(told))]


def _told_by_table(report: Report) -> list[str]:
    """Return the reasons that only repeat a row; of those with odds the first one is said."""
    blocking = [row for row in ordered(report.decision.rows) if row.blocks and row.reason]
    noisy = [row.reason for row in blocking if not row.exact]
    return [row.reason for row in blocking if row.exact] + noisy[1:]


def _verdict(report: Report, page: Page, code: str) -> list[str]:
    """Return the verdict's word, coloured, and its sentence."""
    word = report.decision.verdict.words.upper() + code
    first, *rest = wrapped(f"{word}  {page.words(headline(report, TERMINAL), 60)}")
    painted = page.paint(word, _colour(report) or "green", bold=True)
    return [first.replace(word, painted, 1), *rest]


def _facts(report: Report, page: Page) -> list[str]:
    facts = report.facts
    counts = sample_counts(facts, "sample")
    missing = ", ".join(f"{count:,} {word}" for word, count in lacking(facts).items())
    counts += [missing] if missing else []
    if report.decision.confirmed:
        counts.append(f"confirmed by {counted(report.decision.runs_candidate, 'run')}")
    spent = spending(facts)
    spent += filter(None, (compared(report), proof(report)))
    why = why_unscored(report, page)
    return [*wrapped(" · ".join(counts)), *why, *wrapped(" · ".join(spent))]


def _tail(report: Report, page: Page, most: int | None = None) -> list[str]:
    lines = _verdict(report, page, f" (exit {report.decision.exit_code})")
    commands = _commands(report)
    if most is not None:
        lines, commands = at_most(lines, 3), commands[: most - 1] + commands[-1:]
    return lines + [command(page.foreign(text, _SENTENCE)) for text in dict.fromkeys(commands)]


def _colour(report: Report) -> str:
    return _COLOURS.get(status_of(report), "")


def _commands(report: Report) -> list[str]:
    worse = sections(report.samples).get("worse", [])
    _, _, options = reproduce(report, worse[:1]).partition("--ids ")
    commands = list(report.decision.remedies)
    if options and report.run_id:
        sample = options.removesuffix(" --retrieval-only")
        commands.append(f"ragate report {report.run_id} --explain {sample}")
    return commands


# The run in clear: what was at work, and what came of each sample.


MOST = 1000
_NOTHING_SET = ("", '""', "null", "[]", "{}")
_FIRST = ("model", "top_k", "retrieval", "chunk_size", "temperature")


def set_up(report: Report, page: Page, *, most: int | None = None) -> list[str]:
    """Return models, top_k and other settings, the ones that tell most in front.

    Args:
        most: Settings at most.
    """
    told = {name: value for name, value in report.settings.items() if value not in _NOTHING_SET}
    names = sorted(told, key=_rank)
    if not names and not report.judge:
        return []
    shown = [f"{page.foreign(name, 40)} {_value(told[name], page)}" for name in names]
    more = [f"{len(shown) - most:,} more settings"] if most and len(shown) > most else []
    judge = [f"judge {page.foreign(report.judge, 80)}"] if report.judge else []
    words = [page.foreign(report.system.use, 40), *judge, *shown[:most], *more]
    return wrapped(f"System: {' · '.join(words)}")


def _rank(name: str) -> tuple[int, str]:
    last = name.rpartition(".")[2]
    return (_FIRST.index(last) if last in _FIRST else len(_FIRST), name)


def _value(text: str, page: Page) -> str:
    try:
        value = json.loads(text)
    except ValueError:
        value = text
    return page.foreign(value if isinstance(value, str) else text, 60)


def every_sample(report: Report, page: Page) -> list[str]:
    """Return a line for each sample: PASS or FAIL, its scores, and how long it took."""
    lines = [line for each in report.outcomes[:MOST] for line in _line(each, page)]
    more = len(report.outcomes) - MOST
    lines += [f"  and {more:,} more: --format json"] if more > 0 else []
    title = page.paint(f"Samples: {len(report.outcomes):,}", "", bold=True)
    return [title, *lines] if lines else []


def _line(outcome: SampleOutcome, page: Page) -> list[str]:
    sign = {True: "PASS", False: "FAIL", None: NOTHING}[outcome.passes]
    was = {True: "PASS", False: "FAIL", None: ""}[outcome.passed]
    sign += f" (was {was})" if was and was != sign else ""
    scores = [
        f"{page.foreign(name, 60)} {TERMINAL.value('fraction', value)}"
        for name, value in outcome.scores.items()
    ]
    took = [f"{outcome.latency_s:.2f} s"] if outcome.latency_s is not None else []
    text = f"{sign} {page.foreign(outcome.sample_id, 80)}: {', '.join([*scores, *took])}"
    return wrapped(text, first="  ", rest="       ")


# The table of metrics: what moved, in the width of a terminal.


MOST_ROWS = 8
_TABLE_LINES = 11
_NAME = 28  # a longer name has a line of its own
_HEAD = ("metric", "before", "now", "change", "allowed", "verdict")
_SURE = ("metric", "level", "n", "95 % interval of the change", "passes")


def brief_table(report: Report, page: Page) -> list[str]:
    """Return the figures of the first metrics, what blocks first, in a few lines."""
    for most in range(MOST_ROWS, 1, -1):
        lines = table(report, page, most=most)
        if len(lines) <= _TABLE_LINES:
            return lines
    return at_most(table(report, page, most=1), _TABLE_LINES)


def table(report: Report, page: Page, *, most: int | None) -> list[str]:
    """Return the figures of each metric, what blocks first; one line names those left out.

    Args:
        most: Rows at most; None lists all, the slices that nobody has to look at included.
    """
    rows = shown_rows(report.decision)
    if most is None:
        rows += [row for row in ordered(report.decision.slices) if row not in rows]
    shown = rows[:most]
    lines = _aligned(_HEAD, [(_cells(row, page), _row_colour(row)) for row in shown], page)
    rest = rows[len(shown) :]
    blocking = [page.foreign(row.key, 60) for row in rest if row.blocks]
    others = [page.foreign(row.key, 60) for row in rest if not row.blocks]
    lines += at_most([page.paint(line, "red") for line in _named("block as well", blocking)], 2)
    return lines + at_most(_named("also measured", others), 2)


def _named(title: str, names: Sequence[str], most: int = 6) -> list[str]:
    if not names:
        return []
    more = [f"{len(names) - most} more"] if len(names) > most else []
    return wrapped(f"{title}: {', '.join([*names[:most], *more])}")


def sureness(report: Report, page: Page) -> list[str]:
    """Return level, number of samples, interval and share that passes of every metric."""
    rows = ordered(report.decision.rows)
    cells = [
        [
            page.foreign(row.key, 60),
            row.level,
            f"{row.n:,}",
            _interval(row),
            passes(row, TERMINAL).partition(": ")[2].replace("95 % interval ", "") or NOTHING,
        ]
        for row in rows
    ]
    return _aligned(_SURE, [(line, "") for line in cells], page)


def _cells(row: MetricRow, page: Page) -> list[str]:
    unit = row.unit
    return [
        page.foreign(row.key, 60),
        TERMINAL.value(unit, row.baseline),
        TERMINAL.value(unit, row.candidate),
        TERMINAL.change(unit, row.change),
        TERMINAL.allowed(unit, row.allowed),
        verdict_text(row, TERMINAL),
    ]


def _interval(row: MetricRow) -> str:
    if row.interval is None:
        return "exact" if row.exact else NOTHING
    return " … ".join(TERMINAL.change(row.unit, end) for end in row.interval)


def _row_colour(row: MetricRow) -> str:
    """Return the colour that a row has by its own verdict: red means proven."""
    if row.blocks and (below_floor(row) or not row.verdict.uncompared):
        return "red"
    if wants_a_look(row) or below_floor(row):
        return "yellow"
    return "green" if row.verdict is MetricVerdict.IMPROVED else ""


def _aligned(
    head: Sequence[str], rows: Sequence[tuple[Sequence[str], str]], page: Page
) -> list[str]:
    """Return a table: figures to the right, words to the left, the last column wrapped."""
    if not rows:
        return []
    kept = [i for i in range(len(head)) if i == 0 or any(cells[i] != NOTHING for cells, _ in rows)]
    last = kept[-1]
    widths = {
        i: max(columns(head[i]), *(columns(cells[i]) for cells, _ in rows)) for i in kept[:-1]
    }
    short = [width for cells, _ in rows if (width := columns(cells[0])) <= _NAME]
    widths[0] = max([columns(head[0]), *short])
    lines = []
    for cells, colour in [(head, ""), *rows]:
        long = columns(cells[0]) > widths[0]
        start = "  ".join(
            padded("" if i == 0 and long else cells[i], widths[i], right=_is_figure(head[i]))
            for i in kept[:-1]
        )
        text = wrapped(cells[last], first=start + "  ", rest=" " * (columns(start) + 2))
        block = [cells[0]] if long else []
        lines += [page.paint(line.rstrip(), colour) for line in (*block, *text)]
    return lines


def _is_figure(title: str) -> bool:
    return title in {"before", "now", "change", "allowed", "n", "95 % interval of the change"}
