"""The comment on the pull request and the job summary, in GitHub's Markdown.

Everything that may hold foreign text is raw HTML that starts a line, so that no Markdown parser
looks inside; see docs/decisions/0020-untrusted-text.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from ragate.models import (
    Diagnosis,
    MetricRow,
    MetricVerdict,
    MustPassRow,
    PassGroup,
    Report,
    SampleRow,
    WaiverRow,
)
from ragate.renderers._headline import ICONS, TELLS_WHY, ReportSign, headline, status_of
from ragate.renderers._next_steps import commands, footer
from ragate.renderers._numbers import COMMENT, counted
from ragate.renderers._samples import equal_scores, sections, worse_count, worst_first
from ragate.renderers._tables import (
    MOST_REASONS,
    MOST_ROWS,
    SENTENCE,
    Section,
    as_html,
    documents,
    listing,
    means,
    metric_cells,
    sample_lines,
)
from ragate.renderers._whose_rules import checkout_note, proposed_rows
from ragate.renderers._words import (
    fell,
    in_points,
    label,
    not_proven,
    ordered,
    shown_rows,
    unsure_slices,
    visible_from,
    wants_a_look,
)
from ragate.renderers.markdown.notes import failing_must_pass, figures, notes, repeating_it
from ragate.support.escape import code, name

if TYPE_CHECKING:
    from jinja2 import Template


_COLUMNS = ("metric", "before → now", "verdict")
_ALONE = ("metric", "now", "verdict")
ABOVE = 40  # characters of one text above the fold
BUDGET = 60_000  # UTF-8 bytes; GitHub takes 65,536 characters
MOST_SAMPLES = 3
MOST_FOLDED = 50
_ROOM = 200  # bytes for a line that says how many rows were cut, and for a section's frame


def render(report: Report, *, budget: int = BUDGET, most: int = MOST_FOLDED) -> str:
    """Return the comment in at most `budget` UTF-8 bytes.

    The marker, the verdict, the metrics that block and the worst samples are always kept; folded
    rows are cut, and their number is told.

    Args:
        most: Samples of one kind in the fold; a job summary has room for more than a comment.
    """
    report = in_points(report)
    groups = sections(report.samples)
    leading = worst_first(report, groups.get("worse") or groups.get("new") or [])
    repeated = repeating_it(report)
    above = [row for row in leading if row.sample_id not in repeated][:MOST_SAMPLES]
    below = [row for row in leading if row not in above]
    view = _view(report, above)
    room = budget - _size(_fill(view, "", []))
    folded = [_samples_section(title, rows, report, most) for title, rows in _folded(groups, below)]
    proposed = proposed_rows(report)
    own_rules = [Section("By this change's own rules", proposed)] if proposed else []
    fitting = list(_fitting([*details(report), *own_rules, *folded], room))
    # Details are short and bounded, so they get room first; the reader wants the samples first.
    fitting.sort(key=lambda section: section.title not in _SAMPLE_TITLES)
    return _fill(view, _summary(report, below, groups), fitting)


def marker(gate: str, head: str) -> str:
    """Return line 1 of the comment, by which the next run finds it."""
    return f"{marker_of(gate)}head={_token(head)} -->"


def marker_of(gate: str) -> str:
    """Return the part of line 1 that names the gate and stays the same for every commit."""
    return f"<!-- ragate:1 gate={_token(gate)} "


def _token(text: str) -> str:
    """Percent-encode, so that two gates never share a marker and none can end the HTML comment."""
    return quote(text[:80], safe="", errors="replace").replace("--", "-%2D")


_TITLES = {"worse": "Got worse", "new": "Measured", "better": "Got better"}
_SAMPLE_TITLES = frozenset(_TITLES.values())


def _folded(
    groups: dict[str, list[SampleRow]], below: list[SampleRow]
) -> Iterable[tuple[str, list[SampleRow]]]:
    leading = "worse" if "worse" in groups else "new"
    for key, rows in groups.items():
        shown = below if key == leading else rows
        if shown:
            yield _TITLES[key], shown


def _samples_section(title: str, rows: list[SampleRow], report: Report, most: int) -> Section:
    cells = [sample_lines(row, report) for row in rows[:most]]
    return Section(title, cells, len(rows) - len(cells))


def _fitting(folded: list[Section], room: int) -> Iterable[Section]:
    """Yield the sections with as many of their rows as fit in `room` bytes altogether."""
    room -= _ROOM
    for section in folded:
        room -= _ROOM + _size(section.title)
        rows = []
        for row in section.rows:
            room -= sum(_size(cell) + len("<td></td>") for cell in row) + len("<tr></tr>\n")
            if room < 0:
                break
            rows.append(row)
        if rows:
            hidden = section.more + len(section.rows) - len(rows)
            yield Section(section.title, rows, hidden, section.head)
        if room < 0:
            return


def _size(text: str) -> int:
    return len(text.encode())


def _view(report: Report, above: list[SampleRow]) -> dict[str, Any]:
    moved = moved_rows(report)
    compared = any(row.baseline is not None for row in shown_rows(report.decision))
    failing = failing_must_pass(report)
    worse = sections(report.samples).get("worse", [])
    return {
        "marker": marker(report.gate, report.head),
        "icon": ICONS[status_of(report)],
        "headline": as_html(headline(report, COMMENT)),
        "rules": checkout_note(report),
        "notes": notes(report, {row.sample_id for row in above}),
        "columns": _COLUMNS if compared else _ALONE,
        "metrics": [metric_cells(row, compared=compared) for row in moved[:MOST_MOVED]],
        "held": held_line(report, moved),
        "title": _title(report, worse),
        "samples": [
            sample_lines(row, report, limit=ABOVE, fails=failing.get(row.sample_id, ""))
            for row in above
        ],
        "next": commands(report, worse),
        "footer": footer(report, figures(report)),
    }


def _title(report: Report, worse: list[SampleRow]) -> str:
    questions = counted(worse_count(report), "question")
    if not worse:
        return "A first look at the answers"
    if status_of(report) in (ReportSign.RED, ReportSign.NO_DECISION):
        return f"{questions} got worse"
    if status_of(report) is not ReportSign.LOOK:
        return f"Optional: look at {questions} that got worse"
    return f"Look at {questions} before you merge: worse than before"


def _summary(report: Report, below: list[SampleRow], groups: dict[str, list[SampleRow]]) -> str:
    better, equal = len(groups.get("better", [])), equal_scores(report.samples)
    warnings = len(report.decision.warnings)
    metrics, slices = len(moved_rows(report)) - MOST_MOVED, len(report.decision.slices)
    contents = (
        counted(len(below), "more question") if below else "",
        f"{better:,} that got better" if better else "",
        f"{report.left_out:,} more changed and not listed" if report.left_out else "",
        f"{equal:,} with other outputs and equal scores" if equal else "",
        "how it was decided",
        counted(warnings, "warning") if warnings else "",
        counted(metrics, "more metric") if metrics > 0 else "",
        counted(slices, "slice") if slices else "",
    )
    return ", ".join(filter(None, contents))


def _fill(view: dict[str, Any], summary: str, folded: list[Section]) -> str:
    return _template().render(**view, summary=summary, folded=folded)


@cache
def _template() -> Template:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("ragate.renderers"),
        autoescape=False,  # noqa: S701  cells are HTML already: every part went through escape.py
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return environment.get_template("comment.md.j2")


# The short table: what moved, and one line for what held.

MOST_MOVED = 5
MOST_HELD = 4
_HELD = (MetricVerdict.HELD, MetricVerdict.UNCHANGED, MetricVerdict.IMPROVED)


def moved_rows(report: Report) -> list[MetricRow]:
    """Return the metrics that a reader has to see, in the order of `_words.ordered`.

    What blocks stands first; all of them where nothing was compared.
    """
    rows = shown_rows(report.decision)
    if all(row.baseline is None for row in rows):
        return rows
    unsure = unsure_slices(report.decision)
    return [row for row in rows if row in unsure or _has_moved(row)]


def held_line(report: Report, moved: Sequence[MetricRow]) -> str:
    """Return what stands in no row and must be known: what blocks as well, fell, or held.

    Args:
        moved: The rows that want one; the first `MOST_MOVED` have it.
    """
    as_well = [row for row in moved[MOST_MOVED:] if row.blocks]
    gated = [row for row in report.decision.metrics if row.gates]
    held = [row for row in gated if row.verdict in _HELD and row not in moved]
    unproven = [row for row in held if not_proven(row)]
    lower = [row for row in held if fell(row) and row not in unproven]
    lower.sort(key=lambda row: row.lost / (row.allowed or 1.0), reverse=True)
    calm = [row for row in held if not fell(row)]
    is_still = all(row.verdict is MetricVerdict.UNCHANGED for row in calm)
    lines = {
        "<b>Blocks as well</b>": listing(map(_sized, as_well), len(as_well)),
        "No proven drop": listing(map(_sized, unproven), MOST_HELD),
        "Lower, by no more than is allowed": listing(map(_sized, lower), MOST_HELD),
        "Unchanged" if is_still else "Held": listing((name(row.metric) for row in calm), MOST_HELD),
    }
    return " ".join(f"{title}: {names}." for title, names in lines.items() if names)


def _sized(row: MetricRow) -> str:
    """Return the metric with the size of its change, and of what is allowed."""
    key, change = as_html(label(row, COMMENT)), COMMENT.change(row.unit, row.change)
    return f"{key} ({change})" if row.change else key


def _has_moved(row: MetricRow) -> bool:
    figures = {COMMENT.value(row.unit, value) for value in (row.baseline, row.candidate)}
    better = row.verdict is MetricVerdict.IMPROVED and len(figures) > 1
    return (
        row.blocks
        or row.accepted
        or better
        or wants_a_look(row)
        or (row.verdict.uncompared and row.gates)
    )


# The folded part of the comment: how it was decided, and all figures.


_cells = partial(metric_cells, full=True)


def details(report: Report) -> list[Section]:
    """Return the folded sections on the decision and the data, each of bounded length."""
    decision, data = report.decision, report.data
    rows = shown_rows(decision)
    slices = ordered(decision.slices)
    changed = dict.fromkeys((*data.added, *data.edited))
    missing = data.missing_documents.items()
    tables: list[tuple[str, Iterable[list[str]]]] = [
        ("All metrics", map(_cells, rows)),
        ("What the verdict rests on", map(_sentence, decision.lines)),
        ("Slices", map(_cells, slices)),
        ("Pass rate by stage, tag and field", map(_pass_group, report.pass_groups)),
        ("System and judge", _set_up(report)),
        ("Each metric", map(_metric_detail, [*ordered(decision.metrics), *slices])),
        ("Reasons", map(_sentence, _folded_reasons(report))),
        ("Warnings", map(_sentence, decision.warnings)),
        ("What the pattern suggests", map(_diagnosis, report.diagnosis)),
        ("Must-pass questions", map(_must_pass, decision.must_pass)),
        ("Waived: shown, not counted", map(_waiver, decision.waivers)),
        (
            "Removed from the golden set",
            ([name(r.sample_id), means(r.means)] for r in data.gone),
        ),
        ("Added or edited", ([name(sample_id)] for sample_id in changed)),
        (
            "Expected, but not in the corpus",
            ([name(key), documents(docs)] for key, docs in missing),
        ),
    ]
    sections = [_section(title, list(cells)) for title, cells in tables if cells]
    return [section for section in sections if section.rows]


def _folded_reasons(report: Report) -> tuple[str, ...]:
    """Return the reasons, unless the notes above the fold tell all of them already."""
    reasons = report.decision.reasons
    return () if status_of(report) in TELLS_WHY and len(reasons) <= MOST_REASONS else reasons


def _section(title: str, rows: list[list[str]]) -> Section:
    head = _COLUMNS if title in ("All metrics", "Slices") else ()
    return Section(title, rows[:MOST_ROWS], max(0, len(rows) - MOST_ROWS), head)


def _sentence(text: str) -> list[str]:
    return [code(text, SENTENCE)]


def _metric_detail(row: MetricRow) -> list[str]:
    facts = [f"n = {row.n:,}"]
    facts += [f"p = {row.p:.2g}"] if row.p is not None else []
    facts += [f"other claim p = {row.p_other:.2g}"] if row.p_other is not None else []
    least = visible_from(row)
    facts += [f"shows drops from {COMMENT.size(row.unit, least)}"] if least is not None else []
    facts += [f"{row.better:,} better, {row.worse:,} worse"] if row.better or row.worse else []
    facts += [f"{row.not_applicable:,} not applicable"] if row.not_applicable else []
    reasons = [f"{count:,} x {code(why, 60)}" for why, count in row.unscored_reasons.items()]
    facts += [f"unscored: {listing(reasons)}"] if reasons else []
    return [name(row.key), ", ".join(facts), code(row.reason, SENTENCE) if row.reason else ""]


def _diagnosis(row: Diagnosis) -> list[str]:
    return [code(text, SENTENCE) for text in (row.symptom, row.likely_cause, row.action)]


def _set_up(report: Report) -> list[list[str]]:
    rows = [[name(key), code(value, 80)] for key, value in sorted(report.settings.items())]
    judge = [["judge", code(report.judge, 80)]] if report.judge else []
    return [*judge, *rows]


def _pass_group(group: PassGroup) -> list[str]:
    share = group.share
    before, after = (COMMENT.value("fraction", s) for s in (share.baseline, share.candidate))
    facts = [f"n = {share.n:,}"]
    if group.metric:
        facts += [f"{name(group.metric)} at {share.mark:g}", f"weight {group.weight or 0:g}"]
        facts += ["required"] if group.required else []
    return [code(group.kind, 40), name(group.name), f"{before} → {after}", ", ".join(facts)]


def _must_pass(row: MustPassRow) -> list[str]:
    outcome = "met" if row.met else f"{row.failed:,} of {row.tries:,} tries failed"
    before = "passed every baseline run" if row.eligible else "did not pass every baseline run"
    if row.false_red is not None:
        before += f", fails by chance in {COMMENT.value('fraction', row.false_red)} of runs"
    return [name(row.sample_id), name(row.metric), outcome, before]


def _waiver(row: WaiverRow) -> list[str]:
    why = code(f"{row.owner}: {row.reason}", SENTENCE)
    return [name(row.sample_id), name(row.metric), why, f"until {code(row.until, 20)}"]
