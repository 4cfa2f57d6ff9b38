"""What to type after a report, and what stands under it: commits, files, runs and proof."""

import re
import shlex

from ragate.models import Decision, MetricVerdict, Report, SampleRow, Verdict
from ragate.renderers._headline import TELLS_WHY, ReportSign, status_of
from ragate.renderers._numbers import Numbers, counted
from ragate.renderers._samples import sections, worst_first
from ragate.renderers._tables import MOST_REASONS, SENTENCE, linked, listing
from ragate.renderers._words import ForeignText, Words, fell, ordered
from ragate.support.escape import code, name, one_line, short_sha

CONFIG_NAME = "ragate.toml"
_MEANINGS = {  # remedy: what stands before it and after it
    "ragate baseline rejudge": ("score the baseline with the new judge: ", " and commit "),
    "ragate baseline rescore": ("score the stored answers anew: ", " and commit "),
    "ragate baseline update": ("record a baseline: ", " and commit "),
    "ragate check": ("run it again: ", ""),
    "ragate calibrate": ("look at the judge: ", " shows how far off it is."),
    "ragate power": ("", " says how many {noun}s you need."),
}
_ID = re.compile(r"[^\s,\x00-\x1f]{1,80}")


def commands(report: Report, worse: list[SampleRow]) -> list[str]:
    """Return what to type next, ready to paste: reproduce the worst, then the remedies."""
    command = reproduce(report, worse)
    told = status_of(report) is ReportSign.RED  # by the line below the headline
    lines = [f"<b>Reproduce:</b> {code(command, SENTENCE)}"] if command and not told else []
    remedies = report.decision.remedies
    missing = report.data.missing_documents
    if not (remedies or missing) and status_of(report) in (
        ReportSign.BETTER,
        ReportSign.HELD,
        ReportSign.UNCHANGED,
    ):
        lines.insert(0, "Nothing to do.")
    lines += [acceptable(report)] if acceptable(report) else []
    left = [each for each in remedies if each != told_remedy(report)]
    return [*lines, *(f"<b>Next:</b> {code(r, SENTENCE)}" for r in left[:MOST_REASONS])]


def told_remedy(report: Report) -> str:
    """Return the remedy that the line below the headline names, "" where it names none."""
    remedy = next(iter(report.decision.remedies), "")
    status = status_of(report)
    if status in TELLS_WHY or (status is ReportSign.LOOK and remedy in _MEANINGS):
        return remedy
    return ""


def next_words(report: Report, numbers: Numbers) -> Words:
    """Return what to do, for the line below headline and cause; empty where nothing is."""
    status, noun = status_of(report), numbers.noun
    worse = sections(report.samples).get("worse", [])
    if status is ReportSign.RED:
        command = reproduce(report, worse)
        if command:
            return ["fix it, then run ", ForeignText(command)]
        where = f"the {noun}s that got worse" if worse else "the metrics that block"
        return [f"look at {where}, then fix it."]
    remedy = told_remedy(report)
    before, after = _MEANINGS.get(remedy, ("", ""))
    path = report.baseline_path
    place: Words = [ForeignText(path)] if path and _whole(path) else ["it"]
    step: Words = [before, ForeignText(remedy), after.format(noun=noun)] if remedy else []
    step += [*place, "."] if after.endswith("commit ") else []
    if status is not ReportSign.LOOK:
        return step
    look = f"{_urgency(report)} the {f'{noun}s' if worse else 'metrics'} below"
    return [f"{look}{'; ' if step else '.'}", *step]


def _urgency(report: Report) -> str:
    """Return what the reader of a yellow report is to do, up to what is looked at."""
    gated = [row for row in report.decision.rows if row.gates and not row.accepted]
    if any(row.may_be_real or row.verdict is MetricVerdict.WORSE_HERE for row in gated):
        return "this may be a real drop; read"
    unseen = any(row.verdict is MetricVerdict.CANNOT_TELL and fell(row) for row in gated)
    return "look at" if unseen else "nothing has to be done; look at"


def acceptable(report: Report) -> str:
    """Return how a maintainer accepts the drop, or why none can; "" where nothing is red."""
    decision, head = report.decision, short_sha(report.head)
    if report.pull is None or not head or decision.verdict is not Verdict.FAILED:
        return ""
    failing = dict.fromkeys(row.sample_id for row in decision.must_pass if row.is_red)
    if failing:
        return (
            "<b>Accept:</b> not possible, a must-pass question fails. Fix it; or a maintainer "
            f"takes <code>must_pass</code> off {listing(map(name, failing))}, or waives it, in a "
            "pull request of its own."
        )
    blocking = [row for row in ordered(decision.rows) if row.blocks]
    unseen = [row for row in blocking if row.verdict.uncompared]
    if unseen:
        return f"<b>Accept:</b> not possible while {name(unseen[0].key)} is not decided."
    if not blocking:
        return ""
    command = f'/ragate accept {head} {" ".join(row.key for row in blocking)} "reason"'
    return f"<b>Accept:</b> a maintainer writes {code(command, SENTENCE)}; at this commit only."


def reproduce(report: Report, worse: list[SampleRow]) -> str:
    """Return the command that runs the worst samples again; "" where no id can be typed."""
    failing = [row.sample_id for row in report.decision.must_pass if row.is_red]
    first = [*failing, *(row.sample_id for row in worst_first(report, worse))]
    ids = [each for each in dict.fromkeys(first) if _typeable(each)][:MOST_REASONS]
    if not ids or not _whole(report.links.config):
        return ""
    option = " --retrieval-only" if report.retrieval_only else ""
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


def footer(report: Report, figures: str) -> str:
    """Return figures, and what was compared with what: commits, files, runs, version, link."""
    waived = len(report.decision.waivers)
    items = (
        compared(report),
        figures,
        _runs(report),
        code(report.dataset, 80) if report.dataset else "",
        f"{waived:,} waived" if waived else "",
        proof(report),
        f"ragate {_version(report.ragate_version)}" if report.ragate_version else "",
        page if (page := linked("report", report.report_url)) != "report" else "",
    )
    return " · ".join(filter(None, items))


def compared(report: Report) -> str:
    """Return which commit was compared with which, "" where neither is known."""
    head, base = short_sha(report.head), short_sha(report.base)
    return f"{head} against {base}" if head and base else head


def _version(version: str) -> str:
    return version if re.fullmatch(r"\d[\d.]{0,19}", version, re.ASCII) else code(version, 20)


def proof(report: Report) -> str:
    """Return when the gate last proved that it can fail, "" where it never did."""
    drill = report.drill
    if drill is None or not re.fullmatch(r"\d{4}-\d{2}-\d{2}", drill.date):
        return ""
    return f"last drill {drill.date}: {drill.caught} of {drill.planted} planted breaks caught"


def compared_runs(decision: Decision) -> str:
    """Return how many runs were compared with how many of the baseline."""
    runs = counted(decision.runs_candidate, "run")
    if not decision.runs_baseline:
        return runs
    return f"{runs} against {counted(decision.runs_baseline, 'baseline run')}"


def _runs(report: Report) -> str:
    text = compared_runs(report.decision)
    if re.match(r"\d{4}-\d{2}-\d{2}", report.baseline_recorded):
        text += f" of {report.baseline_recorded[:10]}"
    return text
