"""What a report folds: how it was decided and what else differs, as titled lists of cells."""

import json
from collections.abc import Iterable

from ragate.models import MetricRow, MustPassRow, PassGroup, Report, WaiverRow
from ragate.renderers import _numbers as numbers
from ragate.renderers._headline import TELLS_WHY, status_of
from ragate.renderers._notes import MOST_REASONS, SENTENCE, documents, means
from ragate.renderers._numbers import NOTHING, counted
from ragate.renderers._words import (
    Name,
    Words,
    as_sentence,
    foreign,
    joined,
    label,
    listed,
    ordered,
    passes,
    said,
    visible_from,
)

Rows = list[list[Words]]
_NOTHING_SET = ("", '""', "null", "[]", "{}")
_FIRST_SETTINGS = ("model", "top_k", "retrieval", "chunk_size", "temperature")


def lists(report: Report) -> dict[str, Rows]:
    """Return the rows of each list by its title; those without one are left out."""
    every = {title: list(rows) for title, rows in _lists(report).items()}
    return {title: rows for title, rows in every.items() if rows}


def _lists(report: Report) -> dict[str, Iterable[list[Words]]]:
    decision, data = report.decision, report.data
    stand_above = status_of(report) in TELLS_WHY and len(decision.reasons) <= MOST_REASONS
    metrics = [*ordered(decision.metrics), *ordered(decision.slices)]
    new_or_other = dict.fromkeys((*data.added, *data.edited))
    return {
        "What the verdict rests on": _sentences(decision.lines),
        "Pass rate by stage, tag and field": map(_pass_group, report.pass_groups),
        "System and judge": settings(report),
        "Each metric": map(_metric, metrics),
        "Reasons": _sentences([] if stand_above else decision.reasons),
        "Warnings": _sentences(decision.warnings),
        "What the pattern suggests": (
            [_text(row.symptom), _text(row.likely_cause), _text(as_sentence(row.action))]
            for row in report.diagnosis
        ),
        "Must-pass questions": map(_must_pass, decision.must_pass),
        "Waived: shown, not counted": map(_waiver, decision.waivers),
        "Removed from the golden set": (
            [[Name(row.sample_id)], means(row.means)] for row in data.gone
        ),
        "Renamed in the golden set": (
            [[Name(old)], ["→ ", Name(new)]] for old, new in data.renamed.items()
        ),
        "Added or edited": ([[Name(key)]] for key in new_or_other),
        "Expected, but not in the corpus": (
            [[Name(key)], documents(docs)] for key, docs in data.missing_documents.items()
        ),
    }


def _must_pass(row: MustPassRow) -> list[Words]:
    outcome = "met" if row.met else f"{row.failed:,} of {row.tries:,} tries failed"
    before = "passed every baseline run" if row.eligible else "did not pass every baseline run"
    if row.false_red is not None:
        before += f", fails by chance in {numbers.value('fraction', row.false_red)} of runs"
    return [[Name(row.sample_id)], [Name(row.metric)], [outcome], [before]]


def _waiver(row: WaiverRow) -> list[Words]:
    why = _text(f"{row.owner}: {row.reason}")
    until = ["until ", foreign(row.until, 20)]
    return [[Name(row.sample_id)], [Name(row.metric)], why, until]


def _sentences(lines: Iterable[str]) -> Rows:
    return [[_text(line)] for line in lines]


def _text(cell: str) -> Words:
    return [foreign(cell, SENTENCE)]


def _metric(row: MetricRow) -> list[Words]:
    least = visible_from(row)
    reasons = [[f"{count:,} x ", foreign(why, 60)] for why, count in row.unscored_reasons.items()]
    facts = (
        [f"n = {row.n:,}"],
        [f"p = {row.p:.2g}"] if row.p is not None else [],
        [f"on these questions p = {row.p_here:.2g}"] if row.p_here is not None else [],
        [f"shows drops from {numbers.size(row.unit, least)}"] if least is not None else [],
        [f"95 % interval {interval(row)}"] if row.interval else [],
        [f"{row.better:,} better, {row.worse:,} worse"] if row.better or row.worse else [],
        [f"{row.not_applicable:,} not applicable"] if row.not_applicable else [],
        said("unscored: {}", listed(reasons)),
        said("{}", passes(row)),
    )
    cells = [label(row), joined(facts, ", ")]
    return [*cells, _text(row.reason)] if row.reason else cells


def interval(row: MetricRow) -> str:
    """Return the ends of the change's 95 % interval."""
    if row.interval is None:
        return "exact" if row.exact and row.change is not None else NOTHING
    return " … ".join(numbers.change(row.unit, end) for end in row.interval)


def _pass_group(group: PassGroup) -> list[Words]:
    share = group.share
    facts: list[Words] = [[counted(share.n, numbers.NOUN)]]
    if share.interval:
        ends = " … ".join(numbers.value("fraction", end) for end in share.interval)
        facts.append([f"95 % interval {ends}"])
    if group.metric:
        facts.append([Name(group.metric), f" at {share.mark:g}"])
        facts.append([f"weight {group.weight or 0:g}"])
        if group.required:
            facts.append(["required"])
    return [[foreign(group.kind, 40)], [Name(group.name)], [_share(group)], joined(facts, ", ")]


def _share(group: PassGroup) -> str:
    """Return the share that passes, ``70 % → 80 %`` where it was another before."""
    before, after = group.share.baseline, group.share.candidate
    now = numbers.value("fraction", after)
    if before is None or before == after:
        return now
    return f"{numbers.value('fraction', before)} → {now}"


def stages(report: Report) -> Words:
    """Return the share that passes each stage in one sentence, [] without a scorecard."""
    groups = [group for group in report.pass_groups if group.kind == "stage"]
    shares = joined([[Name(each.name), f" {_share(each)}"] for each in groups], ", ")
    return said("Stages passed: {}.", shares)


def settings(report: Report) -> Rows:
    """Return judge, models, top_k and other settings, the ones that tell most in front."""
    rows: Rows = [[["judge"], [foreign(report.judge, 80)]]] if report.judge else []
    for name in sorted(report.settings, key=_rank):
        value = report.settings[name]
        if value not in _NOTHING_SET:
            rows.append([[Name(name)], [foreign(_unquoted(value), 80)]])
    return rows


def set_up(report: Report, most: int = 5) -> Words:
    """Return these in one sentence; [] where nothing of the system is known.

    Args:
        most: Settings at most.
    """
    pairs = [[*name, " ", *value] for name, value in settings(report)]
    if not pairs:
        return []
    return ["System: ", foreign(report.system.use, 40), " · ", *listed(pairs, most, " · ")]


def _rank(setting: str) -> tuple[int, str]:
    last = setting.rpartition(".")[2]
    rank = _FIRST_SETTINGS.index(last) if last in _FIRST_SETTINGS else len(_FIRST_SETTINGS)
    return rank, setting


def _unquoted(text: str) -> str:
    """Return a setting, which is written as JSON, without the quotes of a text."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return value if isinstance(value, str) else text
