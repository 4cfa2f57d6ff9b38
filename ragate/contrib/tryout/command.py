"""``ragate try``: variants of the system, side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ragate.cli.operations import open_config, resume_option
from ragate.cli.options import RunOptions, comma_words, run_options
from ragate.cli.put_out import put_out
from ragate.cli.streams import run_aside
from ragate.errors import UsageError
from ragate.process import NO_DECISION

if TYPE_CHECKING:
    from ragate.contrib.tryout.matrix import Variant
    from ragate.resources.operations import Operations
    from ragate.run.estimate import Estimate

FORMATS = ("console", "markdown", "json")


@click.command("try")
@run_options
@click.option(
    "--set",
    "given",
    multiple=True,
    metavar="KEY=VALUE,VALUE",
    help="A key of [system] with its values; may be repeated: every combination is asked.",
)
@click.option(
    "--variant",
    "names",
    multiple=True,
    callback=comma_words,
    metavar="NAME",
    help="Only these tables [variants.NAME], in place of all; several with commas.",
)
@click.option(
    "--most",
    type=click.IntRange(2, 100),
    default=12,
    show_default=True,
    help="The most variants that are asked.",
)
@click.option(
    "--against",
    type=click.Choice(("first", "baseline")),
    default="first",
    show_default=True,
    help="What each is held against: the first variant, or the committed baseline.",
)
@click.option("--estimate", is_flag=True, help="Say what it would cost, and spend nothing.")
@resume_option
def command(
    *,
    options: RunOptions,
    given: tuple[str, ...],
    names: tuple[str, ...],
    most: int,
    against: str,
    estimate: bool,
    resume: str,
) -> int:
    """Ask several variants of the system, and hold each against the first.

    The first value of every key makes the first variant. Without --set the variants are the tables
    [variants.NAME] of ragate.toml, and the first is the system as it stands there. It is no gate: a
    variant that is worse ends with 0 too.
    \f

    ```bash
    ragate try --set answer.model=gpt-5,gpt-5-mini --set top_k=5,10
    ```

    Keys and values are those of `ragate check --set`. A value with a comma stands in quotes:
    `--set 'answer.prompt="a,b.md",c.md'`. `--resume` with the same options goes on with a trial
    that was interrupted, and asks no answer again.

    What the table says, how it is tested and what it costs: [Trying variants](try.md). Exit code 3
    where the first variant cannot be asked, a cap ended it, or nothing could be compared.
    """
    from ragate.contrib.tryout.asking import Trying
    from ragate.contrib.tryout.going_on import runs_of_trial
    from ragate.contrib.tryout.matrix import AskedAlike, read_variants
    from ragate.contrib.tryout.told import OUT, RENDER, rows_of
    from ragate.gate.gate_setup import read_gate_setup
    from ragate.run.late_parts import expect_late_parts

    destinations = options.targets()
    _refuse_formats(options)
    config, operations = open_config(options.config)
    chosen = options.selection(config)
    asked = AskedAlike(chosen.filters.top_k, chosen.retrieval_only)
    variants = read_variants(config, given, names, most=most, asked=asked)
    if estimate:
        click.echo(_estimate(variants, operations, options))
        return 0
    setup = read_gate_setup(config, chosen.filters)
    expect_late_parts(config.policy, recording=False)
    runs = runs_of_trial(operations, config, resume)
    trying = Trying(
        config,
        variants,
        operations,
        options.request,
        setup,
        runs,
        baseline=against == "baseline",
    )
    trial = run_aside(trying.trial())
    for name, target in destinations:
        put_out(RENDER[name](trial), target)
    rows = rows_of(trial)
    compared = any(row.held for row in rows)
    return 0 if compared and not trial.stopped and rows[0].verdict != OUT else NO_DECISION


def _refuse_formats(options: RunOptions) -> None:
    for name in options.formats:
        if name not in FORMATS:
            raise UsageError(
                f"a trial has no verdict for --format {name}",
                remedy=f"one of {', '.join(FORMATS)}",
            )
    if options.save_outputs is not None:
        raise UsageError(
            "--save-outputs: a trial has the outputs of several systems",
            remedy="`ragate collect --set KEY=VALUE --save-outputs FILE` writes those of one",
        )


def _estimate(variants: list[Variant], operations: Operations, options: RunOptions) -> str:
    """Return what each variant would cost alone; answers that are equal are asked for once."""
    from ragate.contrib.tryout.verdicts import LOOKS
    from ragate.errors import RagateError

    lines, least, most, cost = [f"{len(variants)} variants, each asked once:"], 0, 0, 0.0
    for each in variants:
        try:
            total = _estimated(each, operations, options)
        except RagateError as error:
            if each is variants[0]:
                raise
            lines.append(f"  {each.name}: it cannot be started: {error.message}")
            continue
        unknown = "" if total.known else ", those of the system itself not counted"
        price = "unknown" if total.cost_usd is None else f"${total.cost_usd:.2f}"
        lines.append(
            f"  {each.name}: {_from_to(total.calls, total.most)} calls, about {price}{unknown}"
        )
        least, most = least + total.calls, most + total.most
        cost += total.cost_usd or 0.0
    policy = variants[0].config.policy
    caps = f"{policy.max_calls} calls, ${policy.max_cost_usd:g}, {policy.max_minutes:g} minutes"
    more = f"{LOOKS} times that for those that look worse and are not proven to be"
    lines.append(f"together {_from_to(least, most)} calls, about ${cost:.2f}; at most {more}")
    lines.append(f"caps, for all together: {caps}")
    if least > policy.max_calls or cost > policy.max_cost_usd:
        lines.append("a cap would end it early: try fewer values, or fewer questions with --limit")
    return "\n".join(lines)


def _estimated(variant: Variant, operations: Operations, options: RunOptions) -> Estimate:
    from dataclasses import replace

    from ragate.answers.run_profile import selection_of
    from ragate.run.estimate import estimate

    request = replace(options.request, settings=variant.given)
    chosen = selection_of(variant.config, request, runs=1)
    return run_aside(estimate(variant.config, operations, chosen))


def _from_to(least: int, most: int) -> str:
    return f"{least}" if least == most else f"{least} to {most}"
