"""The report for a terminal or a log: verdict first and last, 40 lines of 80 columns between."""

from ragate.models import Report
from ragate.renderers._headline import headline
from ragate.renderers._lines import wrapped
from ragate.renderers._next_steps import next_words, proof, reproduce
from ragate.renderers._numbers import TERMINAL, counted, duration, spending
from ragate.renderers._samples import sections
from ragate.renderers._status import TELLS_WHY, ReportSign, status_of
from ragate.renderers._story import likely
from ragate.renderers._whose_rules import checked_note, checkout_note, golden_set_note
from ragate.renderers._words import as_sentence, ordered
from ragate.renderers.console._asides import briefly, changed_here, fully, why_unscored
from ragate.renderers.console._changed import changed_briefly, changed_fully
from ragate.renderers.console._every_sample import every_sample, set_up
from ragate.renderers.console._figures import brief_table, sureness, table
from ragate.renderers.console._page import Page, at_most, bullets, command
from ragate.renderers.console._passing import passing
from ragate.support.escape import short_sha

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
    word = report.decision.verdict.value.replace("_", " ").upper() + code
    first, *rest = wrapped(f"{word}  {page.words(headline(report, TERMINAL), 60)}")
    painted = page.paint(word, _colour(report) or "green", bold=True)
    return [first.replace(word, painted, 1), *rest]


def _facts(report: Report, page: Page) -> list[str]:
    facts = report.facts
    counts = [counted(facts.samples, "sample")]
    if facts.affected is not None and facts.reused is not None:
        counts.append(f"{facts.affected:,} affected, {facts.reused:,} reused")
    amounts = {"failed": facts.errors, "unscored": facts.unscored, "unjudged": facts.unjudged}
    missing = ", ".join(f"{count:,} {word}" for word, count in amounts.items() if count)
    counts += [missing] if missing else []
    if report.decision.confirmed:
        counts.append(f"confirmed by {counted(report.decision.runs_candidate, 'run')}")
    spent = spending(facts)
    spent += [duration(facts.duration_s)] if facts.duration_s is not None else []
    head, base = short_sha(report.head), short_sha(report.base)
    spent += [f"{head} against {base}" if base else head] if head else []
    spent += [proof(report)] if proof(report) else []
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
    worse = dict(sections(report.samples)).get("worse", [])
    _, _, options = reproduce(report, worse[:1]).partition("--ids ")
    commands = list(report.decision.remedies)
    if options and report.run_id:
        sample = options.removesuffix(" --retrieval-only")
        commands.append(f"ragate report {report.run_id} --explain {sample}")
    return commands
