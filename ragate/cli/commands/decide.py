"""``ragate decide``: a verdict on stored outputs."""

from dataclasses import replace
from pathlib import Path

import click

from ragate.cli.operations import open_config
from ragate.cli.options import (
    EXISTING_FILE,
    RunOptions,
    label_options,
    run_options,
    verbose_option,
)
from ragate.cli.streams import run_aside
from ragate.errors import UsageError
from ragate.resources.run_labels import RunLabels


@click.command("decide")
@click.argument("files", nargs=-1, type=EXISTING_FILE)
@run_options
@label_options
@verbose_option
def command(
    *,
    files: tuple[Path, ...],
    options: RunOptions,
    labels: RunLabels,
    verbose: bool,
) -> int:
    """Judge the outputs in FILES (default: .ragate/outputs.jsonl) against the baseline.

    Runs nothing of the RAG. Several files are several runs of the same system, or the shards of
    one. --top-k counts only the first N chunks of each output.
    \f

    The second half of `check`. Of [shards](forks.md#shards) all have to be there, each once.
    """
    from ragate.run.one_run import run_gate
    from ragate.run.plan import RunPlan
    from ragate.run.sources import FilesSource

    destinations = options.targets()
    loaded, operations = open_config(options.config)
    operations = replace(operations, labels=labels)
    chosen = options.selection(loaded)
    stored = operations.state / "outputs.jsonl"
    if not files and not stored.is_file():
        raise UsageError(
            f"{stored}: there are no outputs to decide on",
            remedy="`ragate collect` writes them, or name their files: ragate decide FILE",
        )
    outputs = files or (stored,)
    job = run_gate(RunPlan(loaded, operations, FilesSource(outputs), chosen, "decide"))
    return options.show(
        run_aside(job), loaded, operations.state, destinations, verbose=verbose, outputs=outputs
    )
