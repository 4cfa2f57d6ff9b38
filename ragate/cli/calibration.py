"""What `ragate calibrate` compares: labels of people with the judge, or with a stored run."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ragate.cli.finding import plural
from ragate.cli.operations import open_config
from ragate.errors import DatasetError, UsageError
from ragate.support.escape import one_line, plain

if TYPE_CHECKING:
    from ragate.config import Config
    from ragate.core.judging.judge_agreement import CalibrationReport
    from ragate.core.judging.own_criterion import OwnCriterion
    from ragate.core.judging.review_agreement import ReviewAgreement
    from ragate.dataset.labels import Label
    from ragate.models import Score
    from ragate.pipeline.answers_to_review import ReviewedScores


Scores = list[list["Score"]]  # by label, its judgements
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
    from ragate.config.rules import metric_table

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
            f"{metric_table(name)}"
        )
    elif report.best and abs(report.best.value - report.pass_at) > 1e-9:
        lines.append("  no other pass mark is shown to do better on labels that did not choose it")
    if report.balanced_accuracy is None and report.n:
        lines.append("  all labels say the same: add answers of the other kind")
    elif report.n < FEW:
        lines.append(f"  {report.n} labels: too few for figures to lean on; take {FEW} or more")
    return lines


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


# Labels under criteria as the judge calls them, and what its scores say beside them.


def with_identities(config: Config, labels: Sequence[Label]) -> list[Label]:
    """Return the labels under what the judge calls criteria that the configuration words.

    Raises:
        DatasetError: a grade is not on the scale of such a criterion.
    """
    known = own_criteria(config)
    named = []
    for label in labels:
        identity, own = known.get(label.criterion, (label.criterion, None))
        grade = label.label
        if own is not None and not isinstance(grade, bool) and not own.holds(grade):
            low, high = own.scale
            raise DatasetError(
                f"label {label.sample.id!r}: {grade:g} is not on the scale of {label.criterion}: "
                f"whole numbers from {low} to {high}"
            )
        named.append(replace(label, criterion=identity))
    return named


def own_criteria(config: Config) -> dict[str, tuple[str, OwnCriterion]]:
    """Return what the judge calls each criterion that the configuration words, and the words."""
    from ragate.core.judging.own_criterion import OwnCriterion, identity, is_own

    words = {
        name: OwnCriterion.model_validate(table)
        for name, table in config.metric_settings.items()
        if is_own(name)
    }
    return {name: (identity(name, own), own) for name, own in words.items()}


def compared(
    config: Config, labels: Sequence[Label], scores: Scores
) -> dict[str, CalibrationReport]:
    """Return a report for each criterion, in the order of the labels."""
    from ragate.core.judging.judge_agreement import calibrate
    from ragate.core.judging.own_criterion import shown_name

    reports = {}
    for criterion in dict.fromkeys(label.criterion for label in labels):
        rows = [
            (label.label, [score.value for score in judged_scores])
            for label, judged_scores in zip(labels, scores, strict=True)
            if label.criterion == criterion
        ]
        reports[shown_name(criterion)] = calibrate(
            [label for label, _ in rows],
            [judged_scores[0] for _, judged_scores in rows],
            [judged_scores for _, judged_scores in rows],
            pass_at=pass_mark(config, shown_name(criterion)),
        )
    return reports


def pass_mark(config: Config, criterion: str) -> float:
    """Return the metric's own mark; without one, 4 of 1 to 5, and 0.5 for a fraction."""
    from ragate.core.judging.criteria import CRITERIA

    for rule in config.policy.metrics:
        if rule.metric == criterion and rule.pass_at is not None:
            return rule.pass_at
    if criterion in (own := own_criteria(config)):
        return own[criterion][1].usual_mark
    criterion_info = CRITERIA.get(criterion)
    return 4.0 if criterion_info is not None and criterion_info.unit == "grade" else 0.5


# ``ragate calibrate --reviews``: every metric of a stored run against what people said.


def calibrate_by_reviews(
    config: Path | None, reviews: Path, run: str
) -> tuple[str, ReviewedScores]:
    """Return the run's id, and how its metrics agree with the labels of a file.

    Raises:
        DatasetError: a line is no label.
        UsageError: there is no such run, or no baseline.
    """
    from ragate.dataset.labels import read_review_labels
    from ragate.pipeline.answers_to_review import reviewed_scores
    from ragate.pipeline.decide.gate_setup import load_baseline_or_none
    from ragate.stores.postgres.open_store import open_store

    loaded, operations = open_config(config)
    labels = read_review_labels(reviews)
    store = open_store(operations.state, operations.runs_url)
    folder = store.find(run)
    baseline = load_baseline_or_none(loaded)
    if baseline is None:
        raise UsageError(
            f"{loaded.baseline}: no baseline, so no change of a score to compare with",
            remedy="record one with `ragate baseline update`",
        )
    return folder.name, reviewed_scores(baseline, store.load(folder), labels)


def review_table(run: str, found: ReviewedScores) -> str:
    """Return the figures of each metric, and which labels were left out."""
    lines = [f"Metrics of {run} against {plural(found.labels, 'label')} of people", ""]
    head = ("labels", "agree", "kappa", "worse found", "false alarms")
    lines.append(f"{'metric':<26}" + "".join(f"{name:>{_width(name)}}" for name in head))
    lines += [_review_row(name, agreement) for name, agreement in found.agreements.items()]
    if found.elsewhere:
        lines.append(
            f"\n{plural(found.elsewhere, 'label')} of outputs that are not in this pair of runs"
        )
    if found.stale:
        lines.append(
            f"\n{plural(found.stale, 'label')} of stale references: `ragate dataset validate`"
        )
    if found.labels < FEW:
        lines.append(f"\ntoo few labels for figures to lean on; take {FEW} or more")
    return plain("\n".join(lines))


def review_json(run: str, found: ReviewedScores) -> str:
    """Return the figures as one JSON object."""
    return json.dumps({"run": run, **asdict(found)}, indent=2, ensure_ascii=False)


def _width(name: str) -> int:
    return max(9, len(name) + 2)


def _review_row(name: str, figures: ReviewAgreement) -> str:
    shares = (figures.agreement, figures.kappa)
    first = "".join(f"{'-' if share is None else f'{share:.3f}':>9}" for share in shares)
    found = f"{figures.found} of {figures.worse}"
    alarms = f"{figures.false_alarms} of {figures.others}"
    return f"{one_line(name, 25):<26}{figures.n:>9}{first}{found:>13}{alarms:>14}"
