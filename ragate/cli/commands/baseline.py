"""``ragate baseline``: record it, judge it again, show what it holds."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ragate.cli.operations import open_config
from ragate.cli.options import (
    SourceOptions,
    config_option,
    eval_date_option,
    json_option,
    label_options,
    source_options,
)
from ragate.cli.streams import run_aside
from ragate.core.text.wording import listed
from ragate.errors import BaselineError, RagateError, UsageError
from ragate.guards.escape import one_line
from ragate.resources.run_labels import RunLabels

if TYPE_CHECKING:
    from ragate.baseline.recording.rejudge import Rejudgement
    from ragate.baseline.recording.rescore import Rescored
    from ragate.baseline.recording.write_baseline import BaselineUpdate
    from ragate.config import Config
    from ragate.models import Merged, Run, Sample, Scorecard

MOST_NAMED = 20


@click.group("baseline")
def command() -> None:
    """Record the baseline, or show what it holds."""


@command.command("update")
@config_option
@click.option("--runs", type=click.IntRange(1, 50), help="Fresh runs; default: [policy] runs.")
@click.option(
    "--accept",
    multiple=True,
    metavar="METRIC",
    help="Record it although this was lost, or is below its floor or at its worst value.",
)
@eval_date_option
@source_options("baseline update")
@label_options
def update(
    *,
    config: Path | None,
    runs: int | None,
    accept: tuple[str, ...],
    eval_date: datetime.date | None,
    asked: SourceOptions,
    labels: RunLabels,
) -> int:
    """Record fresh runs of the whole golden set as the new baseline.

    Never adopts a run that was judged: the best of several equal runs is a goal that the next
    unchanged one misses. Refused where a fall is proven, or a floor or too many answers fail.
    \f

    An index is built anew, and equal runs give equal bytes. It stops when an expected document is
    not in the corpus, and with 3 at a [loss that nobody accepted](baseline.md): `--accept` names
    what it may lose (`recall@5`, `recall@5.pass`, `billing:recall@5`, `must_pass`, `error_rate`).
    """
    from ragate.baseline.recording.record_baseline import update_baseline

    loaded, operations = open_config(config)
    operations = replace(operations, labels=labels)
    date = eval_date.isoformat() if eval_date else ""
    recording = run_aside(
        update_baseline(
            loaded,
            operations,
            runs=runs,
            eval_date=date,
            accept=accept,
            source=asked.source(operations),
        )
    )
    _tell(recording, loaded)
    return _shows(loaded, recording.run, recording.samples)


def _tell(recording: BaselineUpdate, loaded: Config) -> None:
    """Print what became of the baseline, its means and what it lost."""
    from ragate.baseline.recording.write_baseline import BaselineOutcome
    from ragate.core.decision.scorecard import means_of

    path = loaded.policy.baseline
    outcomes = {
        BaselineOutcome.CREATED: f"{path}: recorded; commit it",
        BaselineOutcome.REPLACED: f"{path}: recorded anew; commit it",
        BaselineOutcome.UNCHANGED: f"{path}: unchanged, byte for byte",
    }
    click.echo(outcomes[recording.outcome])
    runs, same = recording.run.manifest.runs, recording.run.manifest.identical
    click.echo(_runs_words(runs, same))
    if odd := _same_answer(recording.run):
        click.echo(odd)
    card = loaded.policy.scorecard
    old = means_of(recording.old, card) if recording.old else {}
    _means(recording.run, means_of(recording.run, card), old)
    if recording.outcome is not BaselineOutcome.UNCHANGED:
        _lost(recording.run)


def _runs_words(runs: int, same: int) -> str:
    """Return how many runs there are, and whether they were equal."""
    if runs == 1:
        return "1 run: how much runs differ is not known"
    equal = "all equal" if same == runs - 1 else f"{same} of them equal to another"
    return f"{runs} runs, {equal if same else 'no two equal'}"


def _same_answer(run: Run) -> str:
    """Return what is odd where five questions or more all have one answer, "" elsewhere."""
    answers = {record.output.answer for record in run.records}
    asked = len({record.sample_id for record in run.records})
    if asked < 5 or len(answers) > 1 or not all(answers):
        return ""
    return (
        f"all {asked} questions have the same answer: `ragate doctor --ask` shows whether the "
        "question reaches the RAG"
    )


def _shows(config: Config, run: Run, samples: Sequence[Sample] | None = None) -> int:
    """Say what the gate sees with this recording, and how often it is red by luck; return 0."""
    from ragate.answers.golden_set import golden_set
    from ragate.sight import recording_lines

    today = datetime.datetime.now(datetime.UTC).date()
    try:
        samples = golden_set(config) if samples is None else samples
        lines = recording_lines(config, samples, run, today=today)
    except RagateError as error:  # the file can be shown without its golden set
        lines = [f"shows: not known, {error.message}"]
    for line in lines:
        click.echo(one_line(config.located(line)))
    return 0


def _means(run: Run, means: Mapping[str, float], before: Mapping[str, float]) -> None:
    """Print each metric's mean as a report has it, and how it moved since the recording before."""
    from ragate.core.rules.checked_metric import checked_name, metric_of
    from ragate.renderers import _numbers as numbers

    names = [name for name in means if name == metric_of(name) or metric_of(name) not in means]
    width = max([24, *map(len, names)])
    for name in names:
        info = run.manifest.metrics.get(name)
        unit = info.unit if info is not None else "fraction"
        moved = f"  ({numbers.change(unit, means[name] - before[name])})" if name in before else ""
        share = means.get(checked_name(name), 1.0)
        some = f", something to check in {share:.0%} of answers" if share < 1 else ""
        click.echo(f"  {one_line(name):<{width}} {numbers.value(unit, means[name])}{moved}{some}")


def _lost(run: Run) -> None:
    """Say what was lost since the oldest recording: each time too little to be seen."""
    moved = run.manifest.moved
    if moved is None:
        return
    since = f"{moved.date} {moved.commit[:7]}"
    for name, change in moved.lost(run.manifest.metrics).items():
        click.echo(one_line(f"{'lost:':<11} {name} {change:+.3f} since {since}".rstrip()))


@command.command("rejudge")
@config_option
def rejudge_command(*, config: Path | None) -> int:
    """Score the stored answers again after metrics or the judge changed; runs nothing of the RAG.

    A model is asked only where the judge is another. What reads contexts needs a baseline that was
    recorded with store = "full"; without it the others are done. A judge that has to read them ends
    with exit code 2, a metric without a model is named and left out of checks until main is
    recorded anew.
    \f

    Of metrics without a model, whose version or settings are others than the baseline's, the means
    before and after are printed, over the outputs that have both scores. Of a new judge: means,
    share of equal verdicts, kappa and flipped samples. Where an answer loses a score that the old
    judge gave, the code is 3 and the judged scores stay; finished verdicts are in the cache.
    """
    from ragate.baseline.recording.rejudge import rejudge
    from ragate.baseline.recording.rescore import rescore

    loaded, operations = open_config(config)
    if loaded.policy.of_scores:
        raise UsageError(
            f"{loaded.path}: the scores are an evaluator's, and nothing here can give them anew",
            remedy="let it score main again, then run `ragate baseline update`",
        )
    rescored = rescore(loaded)
    _tell_rescored(loaded, rescored)
    rejudgement = run_aside(rejudge(loaded, operations))
    if rejudgement.same_judge and not (rescored.means or rescored.left):
        click.echo("every score is of today's metrics and of this very judge; nothing to do")
    if not rejudgement.same_judge:
        _tell_rejudged(loaded, rejudgement)
    if not rejudgement.without_contexts:
        return 0
    names = ", ".join(rejudgement.without_contexts)
    raise BaselineError(
        f"not judged, since the baseline holds no contexts: {names}; they left the baseline",
        remedy='set [policy] store = "full" and run `ragate baseline update`',
    )


def _tell_rescored(config: Config, rescored: Rescored) -> None:
    if rescored.left:
        names = listed(rescored.left)
        click.echo(
            f"ragate: not scored, since the baseline does not hold what they read: {names}; checks "
            "leave them out until `ragate baseline update` records main anew "
            '([policy] store = "full" keeps the contexts for another time)',
            err=True,
        )
    if not rescored.means:
        return
    click.echo(f"{config.policy.baseline}: scored on the stored answers; commit it")
    for name, (before, after, count) in rescored.means.items():
        click.echo(f"  {one_line(name):<28}{before:.3f} -> {after:.3f}  (n {count})")
    if rescored.without_answer:
        click.echo(f"  unscored, since they hold no answer: {rescored.without_answer}")


def _tell_rejudged(config: Config, rejudgement: Rejudgement) -> None:
    click.echo(
        f"{config.policy.baseline}: {rejudgement.judged} stored outputs judged anew; commit it"
    )
    click.echo(f"  {'metric':<24}{'n':>5}{'old':>8}{'new':>8}{'agree':>8}{'kappa':>8}  flips")
    for row in rejudgement.rows:
        figures = (row.old_mean, row.new_mean, row.agreement, row.kappa)
        shown = "".join(
            f"{'–' if figure is None else format(figure, '.3f'):>8}" for figure in figures
        )
        flips = one_line(listed(row.flips, 10) or "none")
        click.echo(f"  {one_line(row.metric):<24}{row.n:>5}{shown}  {flips}")


@command.command("show")
@config_option
@json_option
def show(*, config: Path | None, as_json: bool) -> int:
    """Show what the baseline holds: where it comes from, its runs and its means."""
    from ragate.baseline import load_baseline

    loaded, _ = open_config(config)
    run = load_baseline(loaded.baseline)
    facts = _facts(loaded.policy.baseline, run, loaded.policy.scorecard)
    if as_json:
        click.echo(json.dumps(facts, indent=2))
        return 0
    for key, value in facts.items():
        if key not in ("means", "accepted", "merged", "moved"):
            click.echo(f"{key + ':':<11} {one_line(str(value))}")
    for line in merged_lines(run.manifest.merged):
        click.echo(line)
    _lost(run)
    for acceptance in run.manifest.accepted:
        by_whom = f"{acceptance.by} at {acceptance.commit[:7]}"
        accepted = one_line(f"{acceptance.metric} by {by_whom}: {acceptance.reason}")
        click.echo(f"{'accepted:':<11} {accepted}")
    _means(run, facts["means"], {})
    return _shows(loaded, run)


def _facts(path: str, run: Run, card: Scorecard | None) -> dict[str, Any]:
    from ragate.core.decision.scorecard import means_of

    manifest = run.manifest
    facts = {
        "file": path,
        "recorded": manifest.created,
        "commit": manifest.commit,
        "system": manifest.system.use,
        "samples": len({record.sample_id for record in run.records}),
        "runs": manifest.runs,
        "identical": manifest.identical,
        "accepted": [
            acceptance.model_dump(exclude_defaults=True) for acceptance in manifest.accepted
        ],
        "means": means_of(run, card),
    }
    if manifest.moved is not None:
        facts["moved"] = manifest.moved.model_dump()
    merged = manifest.merged
    return facts if merged is None else {**facts, "merged": merged.written()}


def merged_lines(merged: Merged | None) -> Iterator[str]:
    """Yield what `baseline show` says of a merge; nothing of a baseline that is one recording."""
    if merged is None:
        return
    for recording in merged.recordings:
        yield f"{'merged of:':<11} {one_line(recording.commit or 'no commit')} {recording.date}"
    if merged.neither:
        yield f"{'neither:':<11} {one_line(listed(merged.neither, most=MOST_NAMED))}"
