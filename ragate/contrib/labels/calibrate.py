"""``ragate calibrate``: the judge against labels of people."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ragate.cli.finding import plural
from ragate.cli.operations import open_config
from ragate.cli.options import EXISTING_FILE, config_option
from ragate.errors import BudgetError, ConfigError, DatasetError, UsageError
from ragate.guards.escape import one_line, plain
from ragate.version import MANUAL

if TYPE_CHECKING:
    from ragate.config import Config, JudgeSettings
    from ragate.contrib.labels.answers_to_review import ReviewedScores
    from ragate.contrib.labels.judge_agreement import CalibrationReport, ReviewAgreement
    from ragate.contrib.labels.labels import Label
    from ragate.core.judging.own_criterion import OwnCriterion
    from ragate.models import Score
    from ragate.models.progress import Show
    from ragate.protocols import Judge
    from ragate.resources.operations import Operations


_CAPPED = "no verdict is kept: raise the cap, or take fewer labels or --repeats"


@click.command("calibrate")
@config_option
@click.option(
    "--labels",
    type=EXISTING_FILE,
    help="JSON Lines of answers and what a person said of them.",
)
@click.option(
    "--reviews",
    type=EXISTING_FILE,
    help="Labels of `ragate review`, held against the scores of a stored run instead.",
)
@click.option("--run", help="With --reviews: the run's id, its folder, or latest (default).")
@click.option(
    "--repeats",
    type=click.IntRange(1, 20),
    help="Judgements of each answer (1); 2 or more show how often the judge contradicts itself.",
)
@click.option(
    "--format",
    "form",
    type=click.Choice(["console", "json"]),
    default="console",
    help="How it is printed.",
)
def command(
    *,
    config: Path | None,
    labels: Path | None,
    reviews: Path | None,
    run: str | None,
    repeats: int | None,
    form: str,
) -> int:
    """Compare the judge with labels of people: agreement, noise, and the best pass mark.

    Makes one model call for each answer and repeat; with --reviews none. Ends with 3 where the
    judge scored nothing, or no label is of this run's answers.
    \f

    `--labels` or `--reviews` is needed: [Calibrate](calibrate.md).
    """
    if labels is not None and reviews is None:
        if run is not None:
            raise UsageError("--run is for --reviews", remedy="leave it out, or give --reviews")
        return _by_labels(config, labels, repeats or 1, form)
    if reviews is None or labels is not None:
        raise UsageError("calibrate needs labels of one kind", remedy="give --labels or --reviews")
    if repeats is not None:
        raise UsageError("--repeats is for --labels: reviews ask no judge", remedy="leave it out")
    name, found = calibrate_by_reviews(config, reviews, run or "latest")
    click.echo(_json({"run": name} | asdict(found)) if form == "json" else _table(name, found))
    return 0 if found.labels else 3


def _by_labels(config: Path | None, labels: Path, repeats: int, form: str) -> int:
    from ragate.contrib.labels.labels import read_labels

    loaded, operations = open_config(config)
    judge = loaded.policy.judge
    if judge is None:
        raise ConfigError("there is no [policy.judge]", remedy=f"{MANUAL}/judge.md shows one")
    known_labels = with_identities(loaded, read_labels(labels))
    scores = asyncio.run(judged(loaded, operations, judge, known_labels, repeats=repeats))
    reports = compared(loaded, known_labels, scores)
    title = f"Judge {judge.use} {judge.model}".rstrip()
    if form == "json":
        click.echo(_json({name: asdict(report) for name, report in reports.items()}))
    else:
        heading = f"{title} against {len(known_labels)} labels, {repeats} judgements each"
        click.echo(as_table(heading, reports, [score for row in scores for score in row]))
    return 0 if any(report.n for report in reports.values()) else 3


async def judged(
    config: Config,
    operations: Operations,
    settings: JudgeSettings,
    labels: Sequence[Label],
    *,
    repeats: int,
) -> Scores:
    """Return the judgements of each label, `repeats` of them.

    Raises:
        DatasetError: a label has a criterion that the judge does not know.
        ProviderError: the judge cannot be asked.
        BudgetError: a cap of the policy is reached.
    """
    from ragate import plugins
    from ragate.answers.sample_time import within
    from ragate.resources.resources import open_resources

    async with (
        open_resources(config, operations) as opened,
        plugins.judge(settings.use, settings.own, opened.judge) as judge,
    ):
        _check_criteria(judge, labels)
        try:
            async with within(config.policy.max_minutes, remedy=_CAPPED):
                show = opened.judge.progress
                return await _ask_all(judge, settings, labels, repeats=repeats, show=show)
        except BudgetError as error:  # its own remedy is for a run, which keeps what it has
            raise BudgetError(error.message, remedy=_CAPPED) from error


def _check_criteria(judge: Judge, labels: Sequence[Label]) -> None:
    from ragate.settings import nearest

    for label in labels:
        if label.criterion not in judge.criteria:
            raise DatasetError(
                f"label {label.sample.id!r}: the judge does not know the criterion "
                f"{label.criterion!r}{nearest(label.criterion, judge.criteria)}"
            )


async def _ask_all(
    judge: Judge, settings: JudgeSettings, labels: Sequence[Label], *, repeats: int, show: Show
) -> Scores:
    """Ask once for each answer and repeat, for all criteria that the answer has a label for."""
    from ragate.core.hashing import judgement_hash

    gate = asyncio.Semaphore(settings.concurrency)
    keys = [judgement_hash("", label.sample, label.output) for label in labels]
    groups: dict[str, list[Label]] = {}
    for key, label in zip(keys, labels, strict=True):
        groups.setdefault(key, []).append(label)
    tasks = {
        (key, number): asyncio.ensure_future(_ask(judge, group, gate, settings.timeout_s))
        for key, group in groups.items()
        for number in range(repeats)
    }
    note = _shown_by(show, len(tasks))
    for task in tasks.values():
        task.add_done_callback(note)
    try:
        await asyncio.gather(*tasks.values())
    finally:
        for task in tasks.values():
            task.cancel()
    return [
        [tasks[key, number].result()[label.criterion] for number in range(repeats)]
        for key, label in zip(keys, labels, strict=True)
    ]


def _shown_by(show: Show, total: int) -> Callable[[asyncio.Future[dict[str, Score]]], None]:
    """Return what hears of each judgement that has ended."""
    from ragate.models import ScoreState
    from ragate.models.progress import Progress

    ended = failed = 0

    def note(task: asyncio.Future[dict[str, Score]]) -> None:
        nonlocal ended, failed
        if not task.cancelled() and task.exception() is None:
            ended += 1
            failed += any(one.state is ScoreState.UNSCORED for one in task.result().values())
            show(Progress("judging", ended, total, "judgements", failed=failed))

    return note


async def _ask(
    judge: Judge, group: Sequence[Label], gate: asyncio.Semaphore, timeout_s: float
) -> dict[str, Score]:
    from ragate.models import unscored

    criteria = sorted({label.criterion for label in group})
    async with gate:
        try:
            async with asyncio.timeout(timeout_s):
                return await judge(criteria, group[0].sample, group[0].output)
        except TimeoutError:
            reason = f"judge: no verdict within {timeout_s:g} s"
            return {name: unscored(name, reason) for name in criteria}


# What `ragate calibrate` compares: labels of people with the judge, or with a stored run.


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


def _json(figures: Mapping[str, Any]) -> str:
    return json.dumps(figures, indent=2, ensure_ascii=False)


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
    from ragate.contrib.labels.judge_agreement import calibrate
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
    from ragate.contrib.labels.answers_to_review import reviewed_scores
    from ragate.contrib.labels.labels import read_review_labels
    from ragate.gate.gate_setup import load_baseline_or_none
    from ragate.stores.local import open_store

    loaded, operations = open_config(config)
    labels = read_review_labels(reviews)
    store = open_store(operations)
    folder = store.find(run)
    baseline = load_baseline_or_none(loaded)
    if baseline is None:
        raise UsageError(
            f"{loaded.baseline}: no baseline, so no change of a score to compare with",
            remedy="record one with `ragate baseline update`",
        )
    return folder.name, reviewed_scores(baseline, store.load(folder), labels)


def _table(run: str, found: ReviewedScores) -> str:
    """Return the figures of each metric, and which labels were left out."""
    lines = [f"Metrics of {run} against {plural(found.labels, 'label')} of people", ""]
    head = ("labels", "agree", "kappa", "worse found", "false alarms")
    lines.append(f"{'metric':<26}" + "".join(f"{name:>{max(9, len(name) + 2)}}" for name in head))
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


def _review_row(name: str, figures: ReviewAgreement) -> str:
    first = "".join(f"{_figure(share):>9}" for share in (figures.agreement, figures.kappa))
    found = f"{figures.found} of {figures.worse}"
    alarms = f"{figures.false_alarms} of {figures.others}"
    return f"{one_line(name, 25):<26}{figures.n:>9}{first}{found:>13}{alarms:>14}"
