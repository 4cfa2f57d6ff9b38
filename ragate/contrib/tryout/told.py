"""The table of a trial: for a terminal, as Markdown, or as JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from statistics import fmean, median

from ragate.contrib.tryout.asking import Trial, Tried
from ragate.contrib.tryout.verdicts import SLACK, Held, least_questions, safe_share
from ragate.core.decision.scorecard import means_of
from ragate.guards.escape import code, one_line
from ragate.models import OVERALL, PASSES, MetricInfo, Run, SystemOutput
from ragate.renderers import _numbers as numbers

NAMED = 3  # metrics, at most, whose best is named
WORSE, SAFE, OPEN, FIRST, OUT = "worse", "safe", "not proven safe", "first", "out"


@dataclass(frozen=True)
class Row:
    """One variant in the table.

    Attributes:
        verdict: Of the words above. why: Of one that is worse or out.
        at_most: What it may lose on a gated metric without that showing, as a share of the range.
        means: Of every metric; held: of those that gate, beside the first's.
        cost_usd, latency_s, tokens: Of one answer, where they are known.
    """

    name: str
    verdict: str
    why: str = ""
    at_most: float | None = None
    passes: int = 0
    means: Mapping[str, float] = field(default_factory=dict)
    held: Sequence[Held] = ()
    cost_usd: float | None = None
    latency_s: float | None = None
    tokens: float | None = None


def rows_of(trial: Trial) -> list[Row]:
    """Return a row for each variant, in the order in which they were named."""
    first = None if trial.baseline else trial.tried[0]
    return [_row(trial, each, is_first=each is first) for each in trial.tried]


def _row(trial: Trial, each: Tried, *, is_first: bool) -> Row:
    if each.run is None:
        return Row(each.name, OUT, each.out or "it was not asked to the end")
    held = trial.held.get(each.name, ())
    verdict, why = (FIRST, "") if is_first else _verdict(held)
    at_most = max((one.provable for one in held), default=None)
    card = each.variant.config.policy.scorecard
    return Row(
        each.name,
        verdict,
        why,
        at_most,
        each.passes,
        means_of(each.run, card and card.without(each.run.manifest.left_out)),
        held,
        *_expense(each.run),
    )


def _verdict(held: Sequence[Held]) -> tuple[str, str]:
    worse = [each for each in held if each.worse]
    if worse:
        return WORSE, ", ".join(f"{each.metric} −{_points(each.drop)} points" for each in worse)
    if held and all(each.safe for each in held):
        return SAFE, ""
    return OPEN, "" if held else "no metric that gates could be compared"


def _points(share: float) -> str:
    return f"{100 * share:.1f}"


def _expense(run: Run) -> tuple[float | None, float | None, float | None]:
    outputs = [record.output for record in run.records]
    costs = [each.usage.cost_usd for each in outputs if each.usage and each.usage.cost_usd]
    times = [each.latency_s for each in outputs if each.latency_s is not None and _is_fresh(each)]
    tokens = [
        each.usage.prompt_tokens + each.usage.completion_tokens for each in outputs if each.usage
    ]
    return (
        fmean(costs) if costs else None,
        median(times) if times else None,
        fmean(tokens) if any(tokens) else None,
    )


def _is_fresh(output: SystemOutput) -> bool:
    """Return False where the answer was remembered: how soon it was there says nothing."""
    usage = output.usage
    return usage is None or usage.calls > 0 or not usage.prompt_tokens


def best_of(rows: Sequence[Row], infos: Mapping[str, MetricInfo]) -> str:
    """Return which variants have the best means, "" where none can be named."""
    able = [row for row in rows if row.verdict in {FIRST, SAFE, OPEN}]
    gated = list(dict.fromkeys(one.metric for row in rows for one in row.held))
    names = [n for n in (OVERALL, PASSES, *gated) if all(n in row.means for row in able)]
    if len(able) < 2 or not names:
        return ""
    best = [_best(name, able, infos.get(name, MetricInfo(name=name))) for name in names[:NAMED]]
    said = "; ".join(f"{shown} {', '.join(who)}" for shown, who in best if who)
    if not said:
        return "No variant is better than the others."
    return (
        f"Best {said}. The best of {len(rows)} was chosen on this set, so its lead is in part "
        "luck: fresh questions would show less of it."
    )


def _best(name: str, rows: Sequence[Row], info: MetricInfo) -> tuple[str, list[str]]:
    """Return the best mean, and who has it; nobody where all are alike."""
    means = {row.name: row.means[name] for row in rows}
    most = max(map(info.goodness, means.values()))
    who = [each for each, mean in means.items() if info.goodness(mean) >= most - SLACK]
    shown = f"{name}: {numbers.value(info.unit, means[who[0]])}"
    return shown, [] if len(who) == len(rows) else who


def cheapest_of(rows: Sequence[Row]) -> str:
    """Return a sentence on the cheapest variant that is proven safe, "" where none is."""
    priced = [row for row in rows if row.verdict in {FIRST, SAFE} and row.cost_usd is not None]
    if len(priced) < 2:
        return ""
    best = min(priced, key=lambda row: row.cost_usd or 0.0)
    return f"Cheapest that is safe: {best.name} (${best.cost_usd:.6f} an answer)."


def too_few(trial: Trial) -> str:
    """Return how many questions it would take to prove anything safe, "" where they are enough."""
    allowed = [one.allowed for held in trial.held.values() for one in held if one.allowed > 0]
    if not allowed:
        return ""
    alpha = trial.tried[0].variant.config.policy.alpha
    share = safe_share(alpha, len(trial.held), further=trial.further)
    least, there = least_questions(min(allowed), share), len(trial.samples)
    if there >= least:
        return ""
    return (
        f"Too few questions to prove one safe: that it loses less than {_points(min(allowed))} "
        f"points takes {least:,} that are all answered alike, and there are {there:,}. A max_drop "
        "that you can bear takes fewer."
    )


def _table(trial: Trial, rows: Sequence[Row]) -> list[list[str]]:
    """Return head and cells."""
    infos = _infos(trial)
    gated = list(dict.fromkeys(one.metric for row in rows for one in row.held))
    made = [n for n in (PASSES, OVERALL) if any(n in row.means for row in rows)]
    names = [*made, *(name for name in gated if name not in made)]
    head = ["variant", *names, "cost", "tokens", "seconds", "passes", "verdict"]
    body = []
    for row in rows:
        changes = {one.metric: one for one in row.held}
        cells = [_cell(row.means.get(name), changes.get(name), infos.get(name)) for name in names]
        cost = "" if row.cost_usd is None else f"${row.cost_usd:.6f}"
        tokens = "" if row.tokens is None else f"{row.tokens:,.0f}"
        seconds = "" if row.latency_s is None else f"{row.latency_s:.2f}"
        body.append([row.name, *cells, cost, tokens, seconds, str(row.passes), _words(row)])
    filled = [place for place, column in enumerate(zip(*body, strict=True)) if any(column)]
    return [[line[place] for place in filled] for line in [head, *body]]


def _infos(trial: Trial) -> dict[str, MetricInfo]:
    runs = [each.run for each in trial.tried if each.run is not None]
    return {name: info for run in runs for name, info in run.manifest.metrics.items()}


def _cell(mean: float | None, held: Held | None, info: MetricInfo | None) -> str:
    if mean is None:
        return ""
    shown = numbers.value(info.unit if info is not None else "fraction", mean)
    return shown if held is None else f"{shown} ({numbers.change('fraction', -held.drop)})"


def _words(row: Row) -> str:
    if row.verdict == OPEN and row.at_most is not None and not row.why:
        return f"{OPEN}: may lose {_points(row.at_most)} points"
    return f"{row.verdict}: {row.why}" if row.why else row.verdict


def _sentences(trial: Trial, rows: Sequence[Row]) -> list[str]:
    questions = len(trial.samples)
    beside = "the baseline" if trial.baseline else "the first"
    spent = f"{trial.calls} model calls"
    if trial.cost_usd is not None and trial.calls:
        spent += f", {_dollars(trial.cost_usd)}"
    said = [
        f"{questions} questions, {spent}. In brackets: points of its range against {beside}.",
        best_of(rows, _infos(trial)),
        cheapest_of(rows),
        too_few(trial),
    ]
    if trial.stopped:
        said.insert(
            0,
            f"Ended early, with {trial.answers:,} of {len(rows) * questions:,} answers: "
            f"{trial.stopped}. What models answered is remembered, and not paid for again by the "
            "next trial.",
        )
    return [each for each in said if each]


def _dollars(usd: float) -> str:
    """Return a price to the cent, a smaller one to its second digit."""
    return f"${usd:.2f}" if usd >= 0.1 or not usd else f"${usd:.2g}"


def console(trial: Trial) -> str:
    rows = rows_of(trial)
    cells = [[one_line(cell, 200) for cell in line] for line in _table(trial, rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in cells
    ]
    return "\n".join([*lines, "", *_sentences(trial, rows)])


def markdown(trial: Trial) -> str:
    rows = rows_of(trial)
    head, *body = _table(trial, rows)
    lines = [
        "<table>",
        *(_line(each, tag) for each, tag in [(head, "th"), *((b, "td") for b in body)]),
    ]
    said = [f"<p>{code(each, 500)}</p>" for each in _sentences(trial, rows)]
    return "\n".join([*lines, "</table>", "", *said])


def _line(cells: Sequence[str], tag: str) -> str:
    shown = "".join(f"<{tag}>{code(cell, 200) if cell else ''}</{tag}>" for cell in cells)
    return f"<tr>{shown}</tr>"


def as_json(trial: Trial) -> str:
    rows = rows_of(trial)
    told = {
        "schema_version": 1,
        "variants": [asdict(row) for row in rows],
        "against": "baseline" if trial.baseline else "first",
        "questions": len(trial.samples),
        "answers": trial.answers,
        "calls": trial.calls,
        "cost_usd": trial.cost_usd,
        "stopped": trial.stopped,
        "sentences": _sentences(trial, rows),
    }
    return json.dumps(told, indent=2, sort_keys=True)


RENDER = {"console": console, "markdown": markdown, "json": as_json}
