"""``ragate calibrate``: the judge against labels of people."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ragate.cli.calibration import Scores, as_json, as_table, compared, with_identities
from ragate.cli.operations import open_config
from ragate.cli.options import config_option
from ragate.errors import BudgetError, ConfigError, DatasetError, UsageError
from ragate.version import MANUAL

if TYPE_CHECKING:
    from ragate.config import Config, JudgeSettings
    from ragate.dataset.labels import Label
    from ragate.models import Score
    from ragate.protocols import Judge
    from ragate.runtime.operations import Operations

_CAPPED = "no verdict is kept: raise the cap, or take fewer labels or --repeats"


@click.command("calibrate")
@config_option
@click.option(
    "--labels",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
    help="JSON Lines of answers and what a person said of them.",
)
@click.option(
    "--reviews",
    type=click.Path(path_type=Path, dir_okay=False, exists=True),
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
    return _by_reviews(config, reviews, run or "latest", form)


def _by_reviews(config: Path | None, reviews: Path, run: str, form: str) -> int:
    from ragate.cli.calibration import calibrate_by_reviews, review_json, review_table

    name, found = calibrate_by_reviews(config, reviews, run)
    click.echo(review_json(name, found) if form == "json" else review_table(name, found))
    return 0 if found.labels else 3


def _by_labels(config: Path | None, labels: Path, repeats: int, form: str) -> int:
    from ragate.dataset.labels import read_labels

    loaded, operations = open_config(config)
    judge = loaded.policy.judge
    if judge is None:
        raise ConfigError("there is no [policy.judge]", remedy=f"{MANUAL}/judge.md shows one")
    known_labels = with_identities(loaded, read_labels(labels))
    scores = asyncio.run(judged(loaded, operations, judge, known_labels, repeats=repeats))
    reports = compared(loaded, known_labels, scores)
    title = f"Judge {judge.use} {judge.model}".rstrip()
    if form == "json":
        click.echo(as_json(reports))
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
    from ragate.runtime.resources import open_resources
    from ragate.runtime.sample_time import within

    async with (
        open_resources(config, operations) as opened,
        plugins.judge(settings.use, settings.own, opened.judge) as judge,
    ):
        _check_criteria(judge, labels)
        try:
            async with within(config.policy.max_minutes, remedy=_CAPPED):
                return await _ask_all(judge, settings, labels, repeats=repeats)
        except BudgetError as error:  # its own remedy is for a run, which keeps what it has
            raise BudgetError(error.message, remedy=_CAPPED) from error


def _check_criteria(judge: Judge, labels: Sequence[Label]) -> None:
    from ragate.support.settings import nearest

    for label in labels:
        if label.criterion not in judge.criteria:
            raise DatasetError(
                f"label {label.sample.id!r}: the judge does not know the criterion "
                f"{label.criterion!r}{nearest(label.criterion, judge.criteria)}"
            )


async def _ask_all(
    judge: Judge, settings: JudgeSettings, labels: Sequence[Label], *, repeats: int
) -> Scores:
    """Ask once for each answer and repeat, for all criteria that the answer has a label for."""
    from ragate.core.judging.judgement_hash import judgement_hash

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
    try:
        await asyncio.gather(*tasks.values())
    finally:
        for task in tasks.values():
            task.cancel()
    return [
        [tasks[key, number].result()[label.criterion] for number in range(repeats)]
        for key, label in zip(keys, labels, strict=True)
    ]


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
