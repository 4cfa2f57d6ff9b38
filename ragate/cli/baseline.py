"""``ragate baseline``: record it, or show what it holds."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import click

from ragate.cli.operations import open_config
from ragate.cli.options import config_option


@click.group("baseline")
def command() -> None:
    """Record the baseline, or show what it holds."""


@command.command("update")
@config_option
@click.option("--runs", type=click.IntRange(1, 50), help="Fresh runs; default: [policy] runs.")
@click.option("--force", is_flag=True, help="Write it although it differs only by noise.")
def update(*, config: Path | None, runs: int | None, force: bool) -> int:
    """Record fresh runs of the whole golden set as the new baseline.

    Never adopts a run that was judged: the best of several equal runs is a goal that the next
    unchanged one misses. The file keeps its bytes when nothing changed.
    """
    from ragate.pipeline.record import Outcome, update_baseline

    loaded, operations = open_config(config)
    recording = asyncio.run(update_baseline(loaded, operations, runs=runs, force=force))
    path = loaded.policy.baseline
    said = {
        Outcome.CREATED: f"{path}: recorded; commit it",
        Outcome.REPLACED: f"{path}: recorded anew; commit it",
        Outcome.UNCHANGED: f"{path}: unchanged, byte for byte",
        Outcome.WITHIN_NOISE: f"{path}: kept: {recording.note}",
    }
    click.echo(said[recording.outcome])
    _means(recording.run, recording.old)
    return 0


def _means(run: object, old: object) -> None:
    from ragate.models import Run
    from ragate.pipeline.record import means

    if not isinstance(run, Run):
        return
    before = means(old) if isinstance(old, Run) else {}
    click.echo(f"{run.manifest.runs} runs, {run.manifest.identical} of them identical to another")
    for name, value in means(run).items():
        then = before.get(name)
        change = "" if then is None else f"  ({round(value - then, 3) + 0.0:+.3f})"
        click.echo(f"  {name:<24} {value:.3f}{change}")


@command.command("show")
@config_option
@click.option("--json", "as_json", is_flag=True, help="As JSON.")
def show(*, config: Path | None, as_json: bool) -> int:
    """Show what the baseline holds: where it comes from, its runs and its means."""
    from ragate.baseline import load_baseline
    from ragate.pipeline.record import means

    loaded, _ = open_config(config)
    run = load_baseline(loaded.baseline)
    manifest = run.manifest
    samples = len({record.sample_id for record in run.records})
    facts = {
        "file": loaded.policy.baseline,
        "recorded": manifest.created,
        "commit": manifest.commit,
        "system": manifest.system.use,
        "samples": samples,
        "runs": manifest.runs,
        "identical": manifest.identical,
        "means": means(run),
    }
    if as_json:
        click.echo(json.dumps(facts, indent=2))
        return 0
    for key, value in facts.items():
        if key != "means":
            click.echo(f"{key + ':':<11} {value}")
    for name, value in means(run).items():
        click.echo(f"  {name:<24} {value:.3f}")
    return 0
