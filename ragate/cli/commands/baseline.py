"""``ragate baseline``: record it, judge it again, show what it holds, or merge two of them."""

from __future__ import annotations

import datetime
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ragate.cli.operations import open_config, say
from ragate.cli.options import (
    config_option,
    eval_date_option,
    json_option,
    label_options,
    source,
    workers_option,
)
from ragate.cli.streams import run_aside
from ragate.core.text.wording import listed
from ragate.errors import BaselineError, RagateError, UsageError
from ragate.runtime.run_labels import RunLabels
from ragate.support.escape import one_line

if TYPE_CHECKING:
    from ragate.baseline.merge import MergedBaseline, Side
    from ragate.config import Config
    from ragate.models import Merged, Run, Sample
    from ragate.pipeline.baseline.write_baseline import BaselineUpdate

MOST_NAMED = 20


@click.group("baseline")
def command() -> None:
    """Record the baseline, or show what it holds."""


@command.command("update")
@config_option
@click.option("--runs", type=click.IntRange(1, 50), help="Fresh runs; default: [policy] runs.")
@click.option(
    "--accept",
    "--allow-worst",
    "accept",
    multiple=True,
    metavar="METRIC",
    help="Record it although this was lost, or is below its floor or at its worst value.",
)
@click.option(
    "--repeats",
    is_flag=True,
    help="Write into the policy what gave equal outputs in sessions of their own.",
)
@eval_date_option
@workers_option
@label_options
def update(
    *,
    config: Path | None,
    runs: int | None,
    accept: tuple[str, ...],
    repeats: bool,
    eval_date: datetime.date | None,
    workers: bool,
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
    from ragate.pipeline.baseline.record_baseline import update_baseline
    from ragate.pipeline.baseline.write_baseline import BaselineOutcome, run_means

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
            source=source(operations, workers=workers),
        )
    )
    path = loaded.policy.baseline
    outcomes = {
        BaselineOutcome.CREATED: f"{path}: recorded; commit it",
        BaselineOutcome.REPLACED: f"{path}: recorded anew; commit it",
        BaselineOutcome.UNCHANGED: f"{path}: unchanged, byte for byte",
    }
    click.echo(outcomes[recording.outcome])
    runs, same = recording.run.manifest.runs, recording.run.manifest.identical
    same_words = f"s, {same} of them identical to another" if runs > 1 else ""
    click.echo(f"{runs} run{same_words}")
    _means(run_means(recording.run), run_means(recording.old) if recording.old else {})
    if recording.outcome is not BaselineOutcome.UNCHANGED:
        _lost(recording.run)
    if repeats:
        loaded = _declared(loaded, recording)
    return _shows(loaded, recording.run, recording.samples)


def _declared(config: Config, recording: BaselineUpdate) -> Config:
    """Write what repeats into the policy, say so, and return the configuration with it."""
    from ragate.config import load_config
    from ragate.pipeline.recording_sight import declare_repeats

    today = datetime.datetime.now(datetime.UTC).date()
    said = declare_repeats(config, recording.samples, recording.run, today=today)
    click.echo(one_line(said))
    return load_config(config.path)


def _shows(config: Config, run: Run, samples: Sequence[Sample] | None = None) -> int:
    """Say what the gate sees with this recording, and how often it is red by luck; return 0."""
    from ragate.dataset import read_dataset
    from ragate.pipeline.recording_sight import recording_lines

    today = datetime.datetime.now(datetime.UTC).date()
    try:
        samples = read_dataset(config.dataset) if samples is None else samples
        lines = recording_lines(config, samples, run, today=today)
    except RagateError as error:  # the file can be shown without its golden set
        lines = [f"shows: not known, {error.message}"]
    for line in lines:
        click.echo(one_line(config.located(line)))
    return 0


def _means(means: Mapping[str, float], before: Mapping[str, float]) -> None:
    width = max([24, *map(len, means)])
    for name, value in means.items():
        change = f"  ({round(value - before[name], 3) + 0.0:+.3f})" if name in before else ""
        click.echo(f"  {one_line(name):<{width}} {value:.3f}{change}")


def _lost(run: Run) -> None:
    """Say what was lost since the oldest recording: each time too little to be seen."""
    moved = run.manifest.moved
    if moved is None:
        return
    since = f"{moved.date} {moved.commit[:7]}"
    for name, change in moved.lost(run.manifest.metrics).items():
        click.echo(one_line(f"{'lost:':<11} {name} {change:+.3f} since {since}".rstrip()))


@command.command("rescore")
@config_option
def rescore_command(*, config: Path | None) -> int:
    """Score the stored answers again after metrics changed; runs nothing and calls nobody.

    For metrics of answers without a model whose version or settings are others than the baseline's.
    What reads contexts needs a baseline that was recorded with store = "full"; else it stays as it
    was, and the exit code is 2.
    \f

    Of each metric the means before and after are printed, over the outputs that have both scores;
    outputs that hold no answer stay unscored and are counted.
    """
    from ragate.pipeline.baseline.rescore import refuse_left, rescore

    loaded, _operations = open_config(config)
    rescored = rescore(loaded)
    if rescored.means:
        click.echo(f"{loaded.policy.baseline}: scored on the stored answers; commit it")
        for name, (before, after, count) in rescored.means.items():
            click.echo(f"  {one_line(name):<28}{before:.3f} -> {after:.3f}  (n {count})")
        if rescored.without_answer:
            click.echo(f"  unscored, since they hold no answer: {rescored.without_answer}")
    elif not rescored.left:
        click.echo("every metric of answers is of today's version; nothing to do")
    if rescored.left:
        raise refuse_left(rescored.left)
    return 0


@command.command("rejudge")
@config_option
def rejudge_command(*, config: Path | None) -> int:
    """Judge the stored answers again after the judge changed; runs nothing of the RAG.

    Prints the old judge against the new one. Metrics that read the contexts need a baseline that
    was recorded with store = "full"; without it the others are done, and the exit code is 2.
    \f

    Prints means, share of equal verdicts, kappa and flipped samples. Where an answer loses a score
    that it had, the code is 3 and the file stays; finished verdicts are in the cache.
    """
    from ragate.pipeline.baseline.rejudge import rejudge

    loaded, operations = open_config(config)
    rejudgement = run_aside(rejudge(loaded, operations))
    if rejudgement.same_judge:
        click.echo("the baseline was judged by this very judge; nothing to do")
        return 0
    click.echo(
        f"{loaded.policy.baseline}: {rejudgement.judged} stored outputs judged anew; commit it"
    )
    click.echo(f"  {'metric':<24}{'n':>5}{'old':>8}{'new':>8}{'agree':>8}{'kappa':>8}  flips")
    for row in rejudgement.rows:
        figures = (row.old_mean, row.new_mean, row.agreement, row.kappa)
        shown = "".join(
            f"{'–' if figure is None else format(figure, '.3f'):>8}" for figure in figures
        )
        flips = one_line(listed(row.flips, 10) or "none")
        click.echo(f"  {one_line(row.metric):<24}{row.n:>5}{shown}  {flips}")
    if not rejudgement.without_contexts:
        return 0
    names = ", ".join(rejudgement.without_contexts)
    raise BaselineError(
        f"not judged, since the baseline holds no contexts: {names}; they left the baseline",
        remedy='set [policy] store = "full" and run `ragate baseline update`',
    )


@command.command("show")
@config_option
@json_option
def show(*, config: Path | None, as_json: bool) -> int:
    """Show what the baseline holds: where it comes from, its runs and its means."""
    from ragate.baseline import load_baseline

    loaded, _ = open_config(config)
    run = load_baseline(loaded.baseline)
    facts = _facts(loaded.policy.baseline, run)
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
    _means(facts["means"], {})
    return _shows(loaded, run)


def _facts(path: str, run: Run) -> dict[str, Any]:
    from ragate.pipeline.baseline.write_baseline import run_means

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
        "means": run_means(run),
    }
    if manifest.moved is not None:
        facts["moved"] = manifest.moved.model_dump()
    merged = manifest.merged
    return facts if merged is None else {**facts, "merged": merged.written()}


# ``ragate baseline merge``: the merge driver that git calls, and its installation.


@command.command("merge")
@click.argument("files", nargs=-1, metavar="[BEFORE OURS THEIRS [NAME]]")
@config_option
@click.option("--install", is_flag=True, help="Let git call this for the baseline, in this clone.")
def merge(*, files: tuple[str, ...], config: Path | None, install: bool) -> int:
    """Merge two baselines that were recorded from one; git calls this in a merge.

    The recording of one side is taken whole: of the side that alone changed the system, else of
    the branch that is merged into. What only the other side recorded is named. OURS is overwritten.
    The files are parsed, and nothing else of the work tree: no configuration, no plugin.
    \f

    Git calls it once it is told to: [Two branches that both recorded](baseline.md). By hand `ragate
    baseline merge BEFORE OURS THEIRS`. Exit code 2, and OURS as it was, where a file cannot be
    read.
    """
    if install:
        from ragate.cli.merge_driver import install_driver

        if files:
            raise UsageError("--install takes no files", remedy="git names them when it merges")
        for line in install_driver(Path.cwd(), named=config):
            click.echo(line)
        return 0
    if config is not None:
        raise UsageError("--config is for --install", remedy="a merge reads no configuration")
    if len(files) not in (3, 4):
        raise UsageError(
            f"{len(files)} files: the baseline of before, ours and theirs are merged",
            remedy="`ragate baseline merge --install` lets git call this",
        )
    from ragate.baseline.merge import merge_files

    name = files[3] if len(files) == 4 else files[1]
    merged = merge_files(*map(Path, files[:3]), name=name, target=_target_side(Path.cwd()))
    for line in _told(merged, name):
        say(line)
    return 0


def _target_side(folder: Path) -> Side:
    """Return which side is the branch that is merged into in the end.

    On a branch, `git merge main` brings main as theirs. On main itself it is ours, and in a rebase,
    where git has no branch checked out, ours is what the commits are put upon.
    """
    from ragate.support import git

    branch = git.branch(folder)
    return "ours" if branch in ("", git.main_branch(folder)) else "theirs"


def _told(merged: MergedBaseline, name: str) -> Iterator[str]:
    shown = one_line(name)
    if merged.taken is None:
        yield f"{shown}: merged"
        return
    yield f"{shown}: merged: the recording of {merged.taken}, whole ({merged.why})"
    if merged.neither:
        ids = one_line(listed(merged.neither, most=MOST_NAMED))
        yield f"{shown}: recorded on the other side only, and not in the file: {ids}"
    yield "  -> record it anew on the merged tree: ragate baseline update"


def merged_lines(merged: Merged | None) -> Iterator[str]:
    """Yield what `baseline show` says of a merge; nothing of a baseline that is one recording."""
    if merged is None:
        return
    for recording in merged.recordings:
        yield f"{'merged of:':<11} {one_line(recording.commit or 'no commit')} {recording.date}"
    if merged.neither:
        yield f"{'neither:':<11} {one_line(listed(merged.neither, most=MOST_NAMED))}"
