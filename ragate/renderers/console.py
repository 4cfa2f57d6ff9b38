"""The report for a terminal or a log: failures first, then table, verdict and what to type."""

from collections.abc import Sequence

from ragate.models import MetricRow, Report, Verdict
from ragate.renderers._earlier import earlier_lines
from ragate.renderers._headline import headline
from ragate.renderers._next_steps import proof, reproduce
from ragate.renderers._numbers import NOTHING, TERMINAL, counted, duration, spending
from ragate.renderers._samples import equal_scores, failed_alike, sections
from ragate.renderers._terminal import Page, alike_lines, long, short
from ragate.renderers._whose_rules import checkout_note, proposed_lines
from ragate.renderers._words import (
    as_sentence,
    below_floor,
    ordered,
    passes,
    shown_rows,
    verdict_text,
)
from ragate.support.escape import short_sha

LIMIT = 20
_TITLES = {"worse": "Worse", "new": "Measured", "better": "Better"}
_HEAD = (
    *("metric", "level", "baseline", "candidate", "change", "allowed"),
    *("95 % interval", "n", "verdict"),
)
_VERDICT_COLOURS = {Verdict.FAILED: "red", Verdict.NO_DECISION: "yellow"}


def render(report: Report, *, colour: bool = False, ci: bool = True, limit: int = LIMIT) -> str:
    """Return the report as text about 100 columns wide.

    Args:
        colour: Use ANSI colours; a terminal shows them, a file should not.
        ci: The text goes to a workflow's log; see `ragate.support.escape.plain`.
        limit: Samples listed at most; 0 lists all.
    """
    page = Page(colour=colour, ci=ci)
    note = checkout_note(report)
    blocks = [[page.paint(note, "yellow")] if note else []]
    blocks += [_samples(report, page, limit), _table(report, page), _facts(report, page)]
    blocks += [earlier_lines(report, page.foreign), _lists(report, page)]
    blocks += [proposed_lines(report, page.foreign)]
    blocks += [_verdict(report, page)]
    return "\n\n".join("\n".join(block) for block in blocks if block) + "\n"


def _samples(report: Report, page: Page, limit: int) -> list[str]:
    lines: list[str] = []
    equal = equal_scores(report.samples)
    total = len(report.samples) - equal
    room = limit or total
    for key, rows in sections(report.samples):
        error, alike = failed_alike(rows)
        total -= len(alike)
        shown = [row for row in rows if row not in alike][:room]
        room -= len(shown)
        if shown or alike:
            lines += [page.paint(f"{_TITLES[key]}: {counted(len(rows), 'sample')}", "bold")]
        lines += alike_lines(error, alike, len(rows), page) if alike else []
        for row in shown:
            lines += long(row, page) if key in ("worse", "new") else [short(row, page)]
    if limit and total > limit:
        run = page.foreign(report.run_id) or "RUN"
        lines.append(f"{total - limit:,} more: ragate report {run} --format json")
    if report.left_out:
        lines.append(f"{report.left_out:,} more changed samples are counted and not listed")
    if equal:
        lines.append(f"Other outputs with equal scores: {counted(equal, 'sample')}")
    return lines


def _table(report: Report, page: Page) -> list[str]:
    rows = shown_rows(report.decision)
    rows += [row for row in ordered(report.decision.slices) if row not in rows]
    if not rows:
        return []
    cells = [list(_HEAD), *(_cells(row, page) for row in rows)]
    widths = [max(len(line[i]) for line in cells) for i in range(len(_HEAD))]
    lines = [_aligned(line, widths) for line in cells]
    metrics = report.decision.metrics
    shares = [(page.foreign(row.key, 40), passes(row, TERMINAL)) for row in metrics]
    return [
        lines[0],
        *(_painted(line, row, page) for line, row in zip(lines[1:], rows, strict=True)),
        *(f"{key}: {share}" for key, share in shares if share),
    ]


def _cells(row: MetricRow, page: Page) -> list[str]:
    unit = row.unit
    interval = "exact" if row.exact else NOTHING
    if row.interval is not None:
        interval = " … ".join(TERMINAL.change(unit, end) for end in row.interval)
    return [
        page.foreign(row.key, 40),
        row.level,
        TERMINAL.value(unit, row.baseline),
        TERMINAL.value(unit, row.candidate),
        TERMINAL.change(unit, row.change),
        TERMINAL.allowed(unit, row.allowed),
        interval,
        f"{row.n:,}",
        verdict_text(row, TERMINAL),
    ]


def _aligned(cells: Sequence[str], widths: Sequence[int]) -> str:
    words = {0, 1, len(cells) - 1}
    aligned = [
        cell.ljust(width) if i in words else cell.rjust(width)
        for i, (cell, width) in enumerate(zip(cells, widths, strict=True))
    ]
    return "  ".join(aligned).rstrip()


def _painted(line: str, row: MetricRow, page: Page) -> str:
    if row.blocks:
        return page.paint(line, "red")
    return page.paint(line, "yellow") if below_floor(row) else line


def _facts(report: Report, page: Page) -> list[str]:
    facts = report.facts
    counts = [counted(facts.samples, "sample")]
    if facts.affected is not None and facts.reused is not None:
        counts.append(f"{facts.affected:,} affected, {facts.reused:,} reused")
    counts += [f"{facts.errors:,} failed, {facts.unscored:,} unscored, {facts.unjudged:,} unjudged"]
    spent = spending(facts)
    spent += [duration(facts.duration_s)] if facts.duration_s is not None else []
    head, base = short_sha(report.head), short_sha(report.base)
    spent += [f"{head} against {base}" if base else head] if head else []
    lines = [" · ".join(counts), " · ".join(spent)]
    if report.decision.confirmed:
        lines.append(f"confirmed: {counted(report.decision.runs_candidate, 'run')} of the change")
    lines += [proof(report)] if proof(report) else []
    return [*lines, *(page.foreign(line, 300) for line in report.decision.lines)]


def _lists(report: Report, page: Page) -> list[str]:
    data = report.data
    removed = [
        f"{row.sample_id} ({', '.join(f'{m} {v:.3f}' for m, v in row.means.items())})"
        for row in data.removed
    ]
    missing = [f"{key} expects {', '.join(docs)}" for key, docs in data.missing_documents.items()]
    waived = [
        f"{w.sample_id} {w.metric} until {w.until}: {w.reason}" for w in report.decision.waivers
    ]
    listed = {
        "Removed from the golden set": removed,
        "Edited": data.edited,
        "Added": data.added,
        "Expected, but not in the corpus": missing,
        "Waived": waived,
        "Accepted": [f"{a.metric} by {a.by}: {a.reason}" for a in report.decision.accepted],
        "What the pattern suggests": [
            f"{d.symptom}: {d.likely_cause}. {as_sentence(d.action)}" for d in report.diagnosis
        ],
        "Warnings": report.decision.warnings,
    }
    lines: list[str] = []
    for title, items in listed.items():
        if items:
            lines.append(f"{title}: {len(items):,}")
            lines += [f"  - {page.foreign(item, 300)}" for item in items[:LIMIT]]
            lines += [f"  - and {len(items) - LIMIT:,} more"] if len(items) > LIMIT else []
    return lines


def _verdict(report: Report, page: Page) -> list[str]:
    decision = report.decision
    word = decision.verdict.value.replace("_", " ").upper()
    colour = _VERDICT_COLOURS.get(decision.verdict, "green")
    sentence = page.words(headline(report, TERMINAL))
    lines = [f"{page.paint(word, colour)} (exit {decision.exit_code})  {sentence}"]
    lines += [f"  - {page.foreign(reason, 300)}" for reason in decision.reasons]
    return lines + [f"  -> {page.foreign(command, 300)}" for command in _commands(report)]


def _commands(report: Report) -> list[str]:
    worse = dict(sections(report.samples)).get("worse", [])
    _, _, options = reproduce(report, worse[:1]).partition("--ids ")
    commands = list(report.decision.remedies)
    if options and report.run_id:
        sample = options.removesuffix(" --retrieval-only")
        commands.append(f"ragate report {report.run_id} --explain {sample}")
    return commands
