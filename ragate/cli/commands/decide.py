"""``ragate decide``: a verdict on stored outputs."""

from dataclasses import replace
from pathlib import Path

import click

from ragate.cli.operations import load_control, open_config
from ragate.cli.options import (
    EXISTING_FILE,
    RunOptions,
    control_option,
    label_options,
    run_options,
    verbose_option,
)
from ragate.cli.streams import run_aside
from ragate.errors import UsageError
from ragate.runtime.run_labels import RunLabels


@click.command("decide")
@click.argument("files", nargs=-1, type=EXISTING_FILE)
@run_options
@label_options
@verbose_option
@control_option
@click.option(
    "--plan",
    type=EXISTING_FILE,
    help="FILES are the shards of this plan (default: all in .ragate/shards).",
)
def command(
    *,
    files: tuple[Path, ...],
    options: RunOptions,
    labels: RunLabels,
    control: Path | None,
    verbose: bool,
    plan: Path | None,
) -> int:
    """Judge the outputs in FILES (default: .ragate/outputs.jsonl) against the baseline.

    Runs nothing of the RAG. Several files are several runs of the same system, and with --plan
    parts of one. --top-k counts only the first N chunks of each output.
    \f

    The second half of `check`. Without FILES and with `--plan` it takes all in `.ragate/shards`.
    """
    from ragate.cli.shard_choice import given_shards
    from ragate.run.one_run import run_gate
    from ragate.run.plan import RunPlan
    from ragate.run.sources import FilesSource

    destinations = options.targets()
    loaded, operations = open_config(options.config)
    operations = replace(operations, labels=labels)
    chosen = options.selection(loaded)
    stored, shards = operations.state / "outputs.jsonl", None
    if plan is not None:
        shards = given_shards(loaded, plan, files, operations)
    elif not files and not stored.is_file():
        raise UsageError(
            f"{stored}: there are no outputs to decide on",
            remedy="`ragate collect` writes them, or name their files: ragate decide FILE",
        )
    outputs = shards.paths if shards is not None else files or (stored,)
    today = load_control(loaded, operations, control)
    source = FilesSource(outputs, parts=shards)
    job = run_gate(RunPlan(loaded, operations, source, chosen, "decide", control=today))
    return options.show(
        run_aside(job), loaded, operations.state, destinations, verbose=verbose, outputs=outputs
    )
