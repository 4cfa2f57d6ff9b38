"""``ragate baseline``: record it, or show what it holds."""

from __future__ import annotations

import datetime
import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ragate.cli.merge.command import merge, merged_lines
from ragate.cli.operations import open_config
from ragate.cli.options import config_option, eval_date_option
from ragate.cli.run_labels import label_options
from ragate.cli.streams import run_aside
from ragate.cli.worker.queue_url import opens, workers_option
from ragate.core.text.listed_names import listed
from ragate.errors import BaselineError
from ragate.runtime.run_labels import RunLabels
from ragate.support.escape import one_line

if TYPE_CHECKING:
    from ragate.models import Run


@click.group("baseline")
def command() -> None:
    """Record the baseline, or show what it holds."""


@command.command("update")
@config_option
@click.option("--runs", type=click.IntRange(1, 50), help="Fresh runs; default: [policy] runs.")
@click.option("--force", is_flag=True, help="Write it although it differs only by noise.")
@click.option(
    "--allow-worst",
    multiple=True,
    metavar="METRIC",
    help="Record it although what is gated under this name is at its worst value.",
)
@eval_date_option
@workers_option
@label_options
def update(
    *,
    config: Path | None,
    runs: int | None,
    force: bool,
    allow_worst: tuple[str, ...],
    eval_date: datetime.datetime | None,
    workers: bool,
    labels: RunLabels,
) -> int:
    """Record fresh runs of the whole golden set as the new baseline.

    Never adopts a run that was judged: the best of several equal runs is a goal that the next
    unchanged one misses. The file keeps its bytes when nothing changed.
    """
    from ragate.pipeline.baseline.record_baseline import update_baseline
    from ragate.pipeline.baseline.write_baseline import BaselineOutcome

    loaded, operations = open_config(config)
    operations = replace(operations, labels=labels)
    date = eval_date.date().isoformat() if eval_date else ""
    recording = run_aside(
        update_baseline(
            loaded,
            operations,
            runs=runs,
            force=force,
            eval_date=date,
            allow_worst=allow_worst,
            opens=opens(operations, workers=workers),
        )
    )
    path = loaded.policy.baseline
    outcomes = {
        BaselineOutcome.CREATED: f"{path}: recorded; commit it",
        BaselineOutcome.REPLACED: f"{path}: recorded anew; commit it",
        BaselineOutcome.UNCHANGED: f"{path}: unchanged, byte for byte",
        BaselineOutcome.WITHIN_NOISE: f"{path}: kept: {recording.note}",
    }
    click.echo(outcomes[recording.outcome])
    _means(recording.run, recording.old)
    return 0


def _means(run: object, old: object) -> None:
    from ragate.models import Run
    from ragate.pipeline.baseline.write_baseline import run_means

    if not isinstance(run, Run):
        return
    before = run_means(old) if isinstance(old, Run) else {}
    runs = run.manifest.runs
    same = f", {run.manifest.identical} of them identical to another" if runs > 1 else ""
    click.echo(f"{runs} run{'s' if runs > 1 else ''}{same}")
    means = run_means(run)
    width = max([24, *map(len, means)])
    for name, value in means.items():
        mean_before = before.get(name)
        change = "" if mean_before is None else f"  ({round(value - mean_before, 3) + 0.0:+.3f})"
        click.echo(f"  {name:<{width}} {value:.3f}{change}")


def _listed(means: Mapping[str, float]) -> None:
    width = max([24, *map(len, means)])
    for name, value in means.items():
        click.echo(f"  {one_line(name):<{width}} {value:.3f}")


@command.command("rejudge")
@config_option
def rejudge_command(*, config: Path | None) -> int:
    """Judge the stored answers again after the judge changed; runs nothing of the RAG.

    Prints the old judge against the new one. Metrics that read the contexts need a baseline that
    was recorded with store = "full"; without it the others are done, and the exit code is 2.
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
        click.echo(f"  {one_line(row.metric):<24}{row.n:>5}{shown}  {_flips(row.flips)}")
    if not rejudgement.without_contexts:
        return 0
    names = ", ".join(rejudgement.without_contexts)
    raise BaselineError(
        f"not judged, since the baseline holds no contexts: {names}; they left the baseline",
        remedy='set [policy] store = "full" and run `ragate baseline update`',
    )


def _flips(ids: Sequence[str]) -> str:
    return one_line(listed(ids, 10) or "none")


@command.command("show")
@config_option
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
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
        if key not in ("means", "accepted", "merged"):
            click.echo(f"{key + ':':<11} {one_line(str(value))}")
    for line in merged_lines(run.manifest.merged):
        click.echo(line)
    for acceptance in run.manifest.accepted:
        by_whom = f"{acceptance.by} at {acceptance.commit[:7]}"
        accepted = one_line(f"{acceptance.metric} by {by_whom}: {acceptance.reason}")
        click.echo(f"{'accepted:':<11} {accepted}")
    _listed(facts["means"])
    return 0


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
    merged = manifest.merged
    return facts if merged is None else {**facts, "merged": merged.written()}


command.add_command(merge)
