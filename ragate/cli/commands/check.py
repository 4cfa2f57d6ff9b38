"""``ragate check``: run the RAG and give a verdict."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import click

from ragate.cli.operations import open_config, resume_option, resumed_plan
from ragate.cli.options import (
    RunOptions,
    SourceOptions,
    label_options,
    run_options,
    set_option,
    source_options,
    verbose_option,
)
from ragate.cli.rules_at import rules_at
from ragate.cli.streams import run_aside
from ragate.errors import UsageError
from ragate.guards.escape import one_line, plain
from ragate.resources.run_labels import RunLabels

if TYPE_CHECKING:
    from ragate.config import Config
    from ragate.run.estimate import Estimate, Sizes


_SHOWN = 300


@click.command("check")
@run_options
@set_option
@click.option(
    "--temporal-mode",
    type=click.Choice(("behavioral", "structural", "data")),
    help="For this run, how dates in calls of tools are compared. The verdict is partial.",
)
@label_options
@verbose_option
@click.option("--runs", type=click.IntRange(1, 50), default=1, help="Passes over the samples.")
@resume_option
@source_options("check")
@click.option(
    "--base",
    default="",
    metavar="REV",
    help="Judge as a pull request to REV: by its policy, baseline and golden set.",
)
@click.option("--estimate", is_flag=True, help="Say what the run would cost, and spend nothing.")
def command(
    *,
    options: RunOptions,
    temporal_mode: str | None,
    labels: RunLabels,
    runs: int,
    verbose: bool,
    resume: str,
    asked: SourceOptions,
    base: str,
    estimate: bool,
) -> int:
    """Run the RAG on the golden set, compare with the baseline, and give a verdict.

    A suspicious result is run again before it is called a regression; a clear one is not.
    \f

    The pgvector system ingests by itself when documents changed.

    ```bash
    ragate check --format markdown --output report.md --format console
    ragate check --tags billing,api --retrieval-only
    ```

    **Part of the golden set.** With `--tags`, `--ids`, `--where`, `--limit`, `--retrieval-only`,
    `--skip` the verdict is *partial*, and no baseline is ever recorded from
    it. With every blocking metric skipped there is no decision (3). The report names what was left
    out.

    **Conditions** are `FIELD=VALUE`, `FIELD>=NUMBER` or `FIELD<=NUMBER` on the samples' `metadata`:
    only the hard questions (`complexity>=3`), only those somebody has reviewed
    (`review_status=approved`). A field that no sample has is an error; a sample without the field
    does not meet the condition.

    **Another model, or another setting,** for one run: `--set answer.model=gpt-5` for a key below
    `[system]`, `--set judge.model=NAME` for the judge. A value is read as TOML, else as text, and
    as if it stood in the file: the policy's systems, hosts and providers hold. Addresses, names of
    keys and rules cannot be set, and the [action](action.md) takes none.

    **Profiles** are options saved under a name, a table of [`[policy.profiles]`](configuration.md):
    `ragate check --profile reviewed --limit 50`. Two exist: `retrieval` asks for no answers, `full`
    narrows nothing. What is given beside a profile wins over it.

    **`--base main`** is a pull request on your machine: policy, baseline and golden set are those
    of that commit, the system is the one that is checked out. What of the rules the branch changed
    is named, and does not count, as in the [action](action.md).

    **`--estimate`** counts calls, tokens by a rule of thumb, their price where one is known, and
    their time once some were made from here ([Cost](cost.md)), sends nothing, ends with 0 and gives
    no verdict.

    ### Relative dates

    Questions that depend on the current day hold the date as `{today}`:

    ```json
    {"id": "open", "query": "Today is {today}. Which offers still run?", "relevant": ["offers.md"]}
    ```

    - System and judge get the date of `--eval-date`, by default today's in UTC. Ids and hashes of
      samples stay. In `expected_calls` also `{today-7d}` and the like stand for a date.
    - A system gets it as the metadata field `eval_date` too: `{{ metadata.eval_date }}` in a
      template of the system `http`, `sample.metadata["eval_date"]` in Python, `{{ today }}` in a
      prompt of pgvector. Recorded outputs get none.
    - A report warns when run and baseline have different dates: a drop may be the calendar's. To
      pin the comparison, which else changes every morning, record with `ragate baseline update
      --eval-date 2026-11-21` and write `eval_date` in a profile.
    """
    from ragate.run.one_run import run_gate
    from ragate.run.plan import RunPlan

    destinations = options.targets()
    options = options.with_dates(temporal_mode)
    _refuse_rules_of_base(options, base)
    checked_out, operations = open_config(options.config, options.request.settings)
    operations = replace(operations, labels=labels)
    with rules_at(checked_out, base) as (loaded, differs):
        if differs:
            others = plain(one_line("; ".join(differs), _SHOWN))
            click.echo(f"the rules of {base} decide; this branch has others: {others}", err=True)
        chosen = options.selection(loaded, runs=runs)
        if estimate:
            _refuse_beside_estimate(options, others=bool(resume or asked.flags))
            from ragate.run.estimate import estimate as estimated

            click.echo(_estimate(loaded, run_aside(estimated(loaded, operations, chosen))))
            return 0
        source = asked.source(operations, resumed=bool(resume))
        plan = RunPlan(loaded, operations, source, chosen)
        result = run_aside(run_gate(resumed_plan(plan, resume)))
        told = differs if base else None
        return options.show(
            result, loaded, operations.state, destinations, verbose=verbose, differs=told
        )


def _refuse_rules_of_base(options: RunOptions, base: str) -> None:
    rules = ("judge.", "temporal_mode=")
    given = [text for text in options.request.settings if text.startswith(rules)]
    if base and given:
        raise UsageError(
            f"--set {given[0]}: with --base the judge and the rules are those of {base}",
            remedy="leave one of the two out",
        )


def _refuse_beside_estimate(options: RunOptions, *, others: bool) -> None:
    if others or options.formats or options.outputs or options.save_outputs:
        raise UsageError(
            "--estimate prints a few lines and runs nothing",
            remedy="leave out --format, --output, --save-outputs, --resume and other places",
        )


def _estimate(config: Config, total: Estimate) -> str:
    """Return the estimate as text; tokens are counted as a quarter of the characters."""
    from ragate.answers.milestones import time_words
    from ragate.core.statistics.looks import CONFIRM
    from ragate.renderers._lines import wrapped

    policy = config.policy
    lines = [f"{total.samples} samples, {total.reused} with a model request that is known already"]
    if not total.known:
        lines.append(f"the calls of the {config.system.use!r} system itself are not known here")
    for name, sizes in (("answers", total.answers), ("judgements", total.judgements)):
        counted = f"{_from_to(sizes.calls, sizes.most):>6} calls"
        took = _took(sizes) if sizes.most else ""
        lines.append(f"  {name + ':':<12} {counted}, about {sizes.prompt_tokens:,} tokens in{took}")
    cost = (
        "unknown, no price of a model" if total.cost_usd is None else f"about ${total.cost_usd:.2f}"
    )
    first = f"first run: {_from_to(total.calls, total.most)} calls, cost {cost}"
    lines.append(first if total.seconds is None else f"{first}, about {time_words(total.seconds)}")
    lines += wrapped(
        f"at most {1 + CONFIRM} times that where the first run is suspicious and not clear; "
        f"caps: {policy.max_calls} calls, ${policy.max_cost_usd:g}, {policy.max_minutes:g} minutes"
    )
    return "\n".join(lines)


def _took(sizes: Sizes) -> str:
    """Return how long the calls would take, and by what that is known."""
    from ragate.answers.milestones import time_words

    if sizes.seconds is None or sizes.times is None:
        return "; how long is known after the first"
    each = sizes.times.each_s
    known = f"{each:.2g} s each in runs here until {sizes.times.until}"
    return f", about {time_words(sizes.seconds)} ({known})"


def _from_to(least: int, most: int) -> str:
    return f"{least}" if least == most else f"{least} to {most}"
