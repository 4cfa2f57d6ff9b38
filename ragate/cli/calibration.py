"""How a calibration is shown."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from ragate.support.escape import one_line, plain

if TYPE_CHECKING:
    from ragate.core.judging.judge_agreement import CalibrationReport
    from ragate.models import Score

FEW = 30
_WIDTHS = {"95 % interval": 18}


def as_table(
    heading: str, reports: Mapping[str, CalibrationReport], scores: Sequence[Score]
) -> str:
    """Return the figures of each criterion, its table, and why anything was not scored."""
    head = ("labels", "agree", "kappa", "95 % interval", "balanced", "flips", "pass at", "advised")
    lines = [
        heading,
        "",
        f"{'criterion':<26}" + "".join(f"{name:>{_WIDTHS.get(name, 10)}}" for name in head),
    ]
    lines += [_row(name, report) for name, report in reports.items()]
    for name, report in reports.items():
        lines += ["", *_details(name, report)]
    return plain("\n".join([*lines, *_reasons(scores)]))


def _row(name: str, report: CalibrationReport) -> str:
    first = "".join(f"{_figure(figure):>10}" for figure in (report.agreement, report.kappa))
    interval = " to ".join(map(_figure, report.kappa_interval or ())) or "-"
    mark = report.advice.mark if report.advice else None
    last = (report.balanced_accuracy, report.flips, report.pass_at, mark)
    rest = "".join(f"{_figure(figure):>10}" for figure in last)
    return f"{one_line(name, 25):<26}{report.n:>10}{first}{interval:>18}{rest}"


def _details(name: str, report: CalibrationReport) -> list[str]:
    counts = report.counts
    lines = [
        f"{one_line(name, 25):<26}{'judge pass':>12}{'judge fail':>12}",
        f"{'  people pass':<26}{counts.true_pass:>12}{counts.false_fail:>12}",
        f"{'  people fail':<26}{counts.false_pass:>12}{counts.true_fail:>12}",
    ]
    if report.grades_kappa is not None:
        lines.append(f"  kappa of the grades, quadratic weights: {report.grades_kappa:.3f}")
    if report.best is None and report.balanced_accuracy is not None:
        lines.append("  no pass mark tells good from bad better than chance: none to choose")
    elif report.advice:
        advice = report.advice
        lines.append(
            f"  marks that other labels chose have a balanced accuracy of {advice.held_out:.3f}, "
            f"the present one {advice.present:.3f}: pass_at = {advice.mark:.3f} in "
            f"{_table_name(name)}"
        )
    elif report.best and abs(report.best.value - report.pass_at) > 1e-9:
        lines.append("  no other pass mark is shown to do better on labels that did not choose it")
    if report.balanced_accuracy is None and report.n:
        lines.append("  all labels say the same: add answers of the other kind")
    elif report.n < FEW:
        lines.append(f"  {report.n} labels: too few for figures to lean on; take {FEW} or more")
    return lines


def _table_name(metric: str) -> str:
    return f"[policy.metrics.{metric}]" if metric.isidentifier() else f'[policy.metrics."{metric}"]'


def _reasons(scores: Sequence[Score]) -> list[str]:
    counts = Counter(score.reason for score in scores if score.value is None)
    lines = [f"  {count} x {one_line(reason, 160)}" for reason, count in counts.most_common(10)]
    return ["", "Not scored:", *lines] if lines else []


def _figure(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def as_json(reports: Mapping[str, CalibrationReport]) -> str:
    """Return the reports as one JSON object, by criterion."""
    shown: dict[str, Any] = {name: asdict(report) for name, report in reports.items()}
    return json.dumps(shown, indent=2, ensure_ascii=False)
