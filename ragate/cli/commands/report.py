"""``ragate report``: a stored run again."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from ragate.cli.operations import in_ci, open_config
from ragate.cli.options import config_option, output_options, verbose_option
from ragate.cli.put_out import put_out, show, targets
from ragate.cli.shown_report import detailed
from ragate.errors import UsageError
from ragate.models import Report

if TYPE_CHECKING:
    from ragate.config import Config
    from ragate.resources.operations import Operations
    from ragate.stores.local import LocalStore

FAILED = frozenset({"worse", "mixed", "failed"})


@click.command("report")
@click.argument("run", default="latest")
@config_option
@output_options
@verbose_option
@click.option("--failed", is_flag=True, help="Only changed samples that got worse or failed.")
@click.option("--explain", metavar="SAMPLE", help="Show all of one sample beside the baseline.")
def command(
    *,
    run: str,
    config: Path | None,
    formats: tuple[str, ...],
    outputs: tuple[Path, ...],
    verbose: bool,
    failed: bool,
    explain: str | None,
) -> int:
    """Show the report of a stored RUN again: its id, its folder, or `latest`.

    Exits with the code of its verdict.
    \f

    With `--failed` verdict and figures stay the whole run's. `--explain` puts all that is known of
    a sample next to its baseline.
    """

    from ragate.stores.local import open_store

    destinations = targets(formats, outputs)
    if explain is not None and [name for name, _ in destinations] != ["console"]:
        raise UsageError("--explain is text for the console", remedy="leave --format out")
    if explain is not None and failed:
        raise UsageError("--explain is of one sample", remedy="leave --failed out")
    loaded, operations = open_config(config)
    store = open_store(operations)
    texts = explain is not None or "html" in {name for name, _ in destinations}
    folder = store.find(run, reported=True, texts=texts)
    if explain is None:
        report = store.load_report(folder)
        if failed:
            report = only_failed(report)
        report = detailed(report, loaded, operations.state, destinations, folder=folder)
        return show(report, destinations, verbose=verbose)
    _explain(loaded, operations, store, folder, explain, to=destinations[0][1])
    return 0


def _explain(
    config: Config,
    operations: Operations,
    store: LocalStore,
    folder: Path,
    sample: str,
    *,
    to: Path | None,
) -> None:
    ci = in_ci()
    if ci and (publish := config.policy.publish) != "full":
        raise UsageError(
            f"--explain shows whole texts, and [policy] publish is {publish!r}: not in CI",
            remedy="run it on your own machine",
        )
    from ragate.runs.explain_sample import explain_sample

    put_out(explain_sample(config, store, folder, sample, operations=operations, ci=ci), to)


def only_failed(report: Report) -> Report:
    """Return the report with no other changed samples than those that got worse or failed.

    Verdict, figures and exit code stay those of the whole run.
    """
    rows = tuple(row for row in report.samples if row.change in FAILED)
    return report.amended(samples=rows)
