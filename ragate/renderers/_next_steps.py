"""What to type after a report, and what stands under it: commits, files, runs and proof."""

import re
import shlex

from ragate.guards.escape import one_line, short_sha
from ragate.models import Decision, Direction, MetricRow, MetricVerdict, Report, Verdict
from ragate.renderers import _numbers as numbers
from ragate.renderers._events import what_broke
from ragate.renderers._headline import GREEN, TELLS_WHY, ReportSign, status_of
from ragate.renderers._numbers import counted, lacking, sample_counts, spending
from ragate.renderers._samples import sections, worst_first
from ragate.renderers._words import (
    ForeignText,
    Name,
    Words,
    foreign,
    joined,
    leading,
    listed,
    ordered,
    said,
    widest_fall,
)

MOST_REASONS = 3
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
CONFIG_NAME = "ragate.toml"
_MEANINGS = {  # of a remedy, with the baseline's file
    "ragate baseline rejudge": "score the stored answers anew: {} and commit {}.",
    "ragate baseline update": "record a baseline: {} and commit {}.",
    "ragate check": "run it again: {}",
    "ragate collect": "ask what changed again: {}, then `ragate decide`.",
    "ragate calibrate": "look at the judge: {} shows how far off it is.",
    "ragate power": f"{{}} says how many {numbers.NOUN}s you need.",
}
_ID = re.compile(r"[^\s,\x00-\x1f]{1,80}")


def steps(report: Report) -> list[Words]:
    """Return what to type next, ready to paste: reproduce the worst, then the remedies."""
    command, status = reproduce(report), status_of(report)
    is_told = status is ReportSign.RED  # by the line below the headline
    remedies = report.decision.remedies
    is_done = status in GREEN and not (remedies or report.data.missing_documents)
    left = [each for each in remedies if each != told_remedy(report)]
    lines = (
        ["Nothing to do."] if is_done and widest_fall(report.decision) is None else [],
        [] if is_told else said("**Reproduce:** {}", ForeignText(command)),
        _acceptable(report),
        *(said("**Next:** {}", ForeignText(each)) for each in left[:MOST_REASONS]),
    )
    return [line for line in lines if line]


def typed(report: Report) -> list[str]:
    """Return the commands alone: the remedies, and what explains the first of the worst."""
    commands = list(report.decision.remedies)
    _, _, options = reproduce(report, most=1).partition("--ids ")
    if options and report.run_id:
        sample, _, _ = options.partition(" --")
        commands.append(f"ragate report {report.run_id} --explain {sample}")
    return list(dict.fromkeys(commands))


def told_remedy(report: Report) -> str:
    """Return the remedy that the line below the headline names, "" where it names none."""
    remedy = next(iter(report.decision.remedies), "")
    status = status_of(report)
    if status in TELLS_WHY or (status is ReportSign.LOOK and remedy in _MEANINGS):
        return remedy
    return ""


def next_words(report: Report) -> Words:
    """Return what to do, for the line below headline and cause; empty where nothing is."""
    status = status_of(report)
    worse = sections(report.samples).get("worse", [])
    if status is ReportSign.RED:
        where = f"the {numbers.NOUN}s that got worse" if worse else "the metrics that block"
        by_hand: Words = [f"look at {where}, then fix it."]
        return said("fix it, then run {}", ForeignText(reproduce(report))) or by_hand
    remedy, path = told_remedy(report), report.baseline_path
    place = ForeignText(path) if path and _whole(path) else "it"
    step = said(_MEANINGS.get(remedy, "{}"), ForeignText(remedy), place)
    if status in TELLS_WHY:
        if step or status is not ReportSign.NO_DECISION:
            return step
        if report.system.use == "scores":
            return ["mend it, then let the evaluator run again"]
        again = reproduce(report) or "ragate check"
        return said("mend it, then run {}", ForeignText(again))
    widely = _widely_worse(report)
    if status is not ReportSign.LOOK:
        return joined([widely, step])
    look = f"{_urgency(report)} the {f'{numbers.NOUN}s' if worse else 'metrics'} below"
    return [*joined([[look], widely, step]), *([] if step else ["."])]


def _widely_worse(report: Report) -> Words:
    """Return which metric fell on many questions without blocking, and what would gate it."""
    row = widest_fall(report.decision)
    if row is None:
        return []
    down, up = ("fell", "rose") if row.direction is Direction.HIGHER else ("rose", "fell")
    rose = f", {up} on {row.better:,}" if row.better else ""
    moved = f"{{}} {down} on {row.worse:,} of {counted(row.n, numbers.NOUN)}{rose}"
    metric = Name(row.metric)
    if row.gates:
        return said(moved, metric)
    if not report.run_id:  # of two files: there is no policy that could gate it
        return said(f"{moved}, and is only shown", metric)
    key = ForeignText(f'[policy.metrics."{row.metric}"] level = "error"')
    return said(f"{moved}, and does not gate: {{}} would", metric, key)


def _urgency(report: Report) -> str:
    """Return what the reader of a yellow report is to do, up to what is looked at."""
    if any(map(_may_be_real, _gated(report))):
        return "this may be a real drop; read"
    return "nothing has to be done; look at" if is_quiet(report) else "look at"


def is_quiet(report: Report) -> bool:
    """Whether nobody has to do anything: nothing broke, fell unseen, or fell on many questions."""
    if what_broke(report) or widest_fall(report.decision) is not None:
        return False
    return not any(
        _may_be_real(row)
        or row.unchecked
        or (row.verdict is MetricVerdict.CANNOT_TELL and row.has_fallen)
        for row in _gated(report)
    )


def _gated(report: Report) -> list[MetricRow]:
    return [row for row in report.decision.rows if row.gates and not row.accepted]


def _may_be_real(row: MetricRow) -> bool:
    return row.may_be_real or row.verdict is MetricVerdict.WORSE_HERE


def _acceptable(report: Report) -> Words:
    """Return how a maintainer accepts the drop, or why none can; [] where nothing is red."""
    decision, head = report.decision, short_sha(report.head)
    if report.pull is None or not head or decision.verdict is not Verdict.FAILED:
        return []
    failing = dict.fromkeys(row.sample_id for row in decision.must_pass if row.is_red)
    if failing:
        return said(
            "**Accept:** not possible, a must-pass question fails. Fix it; or a maintainer takes "
            "{} off {}, or waives it, in a pull request of its own.",
            ForeignText("must_pass"),
            listed(map(Name, failing)),
        )
    blocking = [row for row in ordered(decision.rows) if row.blocks]
    for row in blocking:
        if row.verdict.uncompared:
            return said("**Accept:** not possible while {} is not decided.", Name(row.key))
    if not blocking:
        return []
    command = f'/ragate accept {head} {" ".join(row.key for row in blocking)} "reason"'
    return said("**Accept:** a maintainer writes {}; at this commit only.", ForeignText(command))


def reproduce(report: Report, most: int = MOST_REASONS) -> str:
    """Return the command that runs the worst samples again; "" where no id can be typed.

    Nor where nothing was run: scores of files are read, and are in no store.
    """
    failing = [row.sample_id for row in report.decision.must_pass if row.is_red]
    worse = worst_first(report, sections(report.samples).get("worse", []))
    first = [*failing, *(row.sample_id for row in worse)]
    ids = [each for each in dict.fromkeys(first) if _typeable(each)][:most]
    if not ids or not report.run_id or not _whole(report.links.config):
        return ""
    option = " --retrieval-only" if report.retrieval_only else ""
    top_k = report.filters.top_k
    option += f" --top-k {top_k}" if top_k is not None else ""
    place = report.links.config
    if place and place != CONFIG_NAME:
        option += f" --config {shlex.quote(place)}"
    return f"ragate check --ids {shlex.quote(','.join(ids))}{option}"


def _typeable(sample_id: str) -> bool:
    """Ids are a pull request's text: one that the filter would change is left out of a command."""
    return bool(_ID.fullmatch(sample_id)) and one_line(sample_id, 80) == sample_id


def _whole(path: str) -> bool:
    """Whether a path is shown as it is."""
    return one_line(path, 200) == path


# What stands under a report.


def counts(report: Report) -> list[Words]:
    """Return counts, cost and time; what is zero is left out, except the calls."""
    facts = report.facts
    lack = [f"{count:,} {word}" for word, count in lacking(facts).items()]
    return [[each] for each in (*sample_counts(facts), *spending(facts), *lack)]


def footer(report: Report) -> list[Words]:
    """Return what was compared with what: commits, files, runs, proof and version."""
    waived = ([Name(row.sample_id), " (", Name(row.metric), ")"] for row in report.decision.waivers)
    page = leading(Name("report"), report.report_url)
    items: list[Words] = [
        [compared_runs(report.decision, report.baseline_recorded)],
        [foreign(report.dataset, 80)],
        said("waived: {}", listed(waived)),
        [_proof(report)],
        [_version(report.ragate_version)],
        [page] if page.url else [],
    ]
    return [item for item in items if any(item)]


def compared(report: Report) -> str:
    """Return which commit was compared with which, "" where neither is known."""
    head, base = short_sha(report.head), short_sha(report.base)
    return f"{head} against {base}" if head and base else head


def _version(version: str) -> str:
    is_plain = re.fullmatch(r"\d[\d.]{0,19}", version, re.ASCII)
    return f"ragate {version}" if is_plain else foreign(f"ragate {version}" if version else "", 27)


def _proof(report: Report) -> str:
    """Return when the gate last proved that it can fail, "" where it never did."""
    drill = report.drill
    if drill is None or not _DATE.fullmatch(drill.date):
        return ""
    return f"last drill {drill.date}: {drill.caught} of {drill.planted} planted breaks caught"


def compared_runs(decision: Decision, recorded: str) -> str:
    """Return how many runs were compared with how many of the baseline, and when that was."""
    runs = counted(decision.runs_candidate, "run")
    if decision.runs_baseline:
        runs += f" against {counted(decision.runs_baseline, 'baseline run')}"
    return f"{runs} of {recorded[:10]}" if _DATE.match(recorded) else runs
