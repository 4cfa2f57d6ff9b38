"""``ragate power``: which drops this golden set can show, before anything is spent."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ragate.cli.finding import plural
from ragate.cli.operations import open_config
from ragate.cli.options import config_option
from ragate.errors import UsageError
from ragate.guards.escape import one_line

if TYPE_CHECKING:
    from ragate.config import Config
    from ragate.models import Run
    from ragate.sight import MetricPower

_WIDTH = 10
_NAME = 22


@click.command("power")
@config_option
@click.option(
    "--drop",
    type=click.FloatRange(0.001, 0.999),
    default=0.05,
    show_default=True,
    help="The drop you want to see, as a fraction of the range.",
)
@click.option("--samples", type=click.IntRange(min=1), help="As if the set had N samples.")
@click.option(
    "--noise",
    type=click.FloatRange(0.0, 0.5),
    help="Share of samples whose verdict differs between two runs, instead of measured.",
)
def command(*, config: Path | None, drop: float, samples: int | None, noise: float | None) -> int:
    """Say which drops this golden set can show, and what a wanted one needs.

    The noise comes from the baseline's own runs; without a baseline it is assumed to be 0.05, or
    what --noise says. Makes no model call.
    \f

    It prints the smallest detectable drop, and how many more questions and runs a smaller one
    needs. With fewer than two runs in the baseline the noise is that of the newest stored run of
    the whole set that was asked more than once.

    ```text
    Smallest drop that is red in 4 of 5 cases, with up to 3 runs (noise measured on
      3 baseline runs)
    breaks: some answers break and the rest stays; reworded: 30% of the rest are
      also worded otherwise (it is assumed to move scores by 0.25 of what another
      question does)
    metric                 samples   noise    breaks  reworded
    token_f1                   200   0.050     0.045     0.054
    ```

    What these words mean: [What the gate cannot see](decision.md).
    """
    from ragate.answers.golden_set import golden_set
    from ragate.core.statistics.metric_noise import ASSUMED_NOISE, Noise
    from ragate.gate.gate_setup import load_baseline_or_none
    from ragate.sight import (
        assumed_plans,
        compared_with_itself,
        earlier_passes,
        plans,
    )
    from ragate.stores.local import open_store

    loaded, operations = open_config(config)
    if not loaded.policy.gated:
        raise UsageError(
            'no metric has level = "error": the gate cannot fail',
            remedy="set the level of a metric in [policy.metrics]",
        )
    questions = golden_set(loaded)
    baseline, earlier = load_baseline_or_none(loaded), None
    if baseline is not None and noise is None:
        today = datetime.now(UTC).date()
        if baseline.manifest.runs == 1:
            store = open_store(operations)
            earlier = earlier_passes(store, loaded.gate)
        itself = compared_with_itself(loaded, questions, baseline, today=today, earlier=earlier)
        metric_plans = plans(loaded, *itself, size=samples)
        runs = baseline.manifest.runs - baseline.manifest.identical
    else:
        q = ASSUMED_NOISE if noise is None else noise
        metric_plans = assumed_plans(loaded, samples or len(questions), Noise(q=q))
        runs = loaded.policy.runs
    if not metric_plans:
        raise UsageError(
            "only slices gate, and of none it is known what it can see",
            remedy="record a baseline first: `ragate baseline update`",
        )
    source = _source(metric_plans, runs, earlier)
    click.echo("\n".join([*_table(metric_plans, source), "", *_needs(loaded, metric_plans, drop)]))
    return 0


def _source(metric_plans: Sequence[MetricPower], runs: int, earlier: Run | None) -> str:
    counted = plural(runs, "baseline run")
    assumed = {plan.noise.q for plan in metric_plans if not plan.exact and not plan.noise.measured}
    if all(plan.exact for plan in metric_plans):
        return f"{counted} of metrics without noise"
    if not assumed and earlier is not None:
        passes = f"{earlier.manifest.runs} runs of {one_line(earlier.manifest.run_id)}"
        return f"{counted}; noise measured on {passes}"
    if not assumed:
        return f"noise measured on {counted}"
    return f"{counted}; noise assumed: {max(assumed):g} of the samples differ between two runs"


def _table(metric_plans: Sequence[MetricPower], source: str) -> list[str]:
    from ragate.core.rules.visible_drop import REWORDED
    from ragate.core.statistics.looks import CONFIRM
    from ragate.core.statistics.metric_noise import REWORDING
    from ragate.renderers._lines import wrapped

    return [
        *wrapped(
            f"Smallest drop that is red in 4 of 5 cases, with up to {1 + CONFIRM} runs ({source})"
        ),
        *wrapped(
            "breaks: some answers break and the rest stays; reworded: "
            f"{REWORDED:.0%} of the rest are also worded otherwise (it is assumed to move scores "
            f"by {REWORDING:g} of what another question does)"
        ),
        f"{'metric':<22}{'samples':>8}{'noise':>8}{'breaks':>{_WIDTH}}{'reworded':>{_WIDTH}}",
        *(line for plan in metric_plans for line in _row(plan)),
    ]


def _row(plan: MetricPower) -> list[str]:
    """Return the metric's line; a long name has one of its own, so that the columns stay."""
    name = plan.metric if len(plan.metric) < _NAME else ""
    above = [] if name else [plan.metric]
    if plan.sight is None:
        seen = f"every drop above {plan.limit:.3f}"
        return [*above, f"{name:<22}{plan.n:>8}    none   {seen}"]
    drops = "".join(f"{_drop(each):>{_WIDTH}}" for each in (plan.sight.drop, plan.sight.reworded))
    return [*above, f"{name:<22}{plan.n:>8}{plan.noise.q:>8.3f}{drops}"]


def _drop(value: float | None) -> str:
    return "never" if value is None else f"{value:.3f}"


def _needs(config: Config, metric_plans: Sequence[MetricPower], drop: float) -> list[str]:
    from ragate.core.rules.visible_drop import REWORDED
    from ragate.core.statistics.looks import CONFIRM
    from ragate.sight import needs

    if all(plan.exact for plan in metric_plans):
        return ["Nothing here is noisy: more samples widen what is asked, not what is seen."]
    policy = config.policy
    lines = [f"To see a drop of {drop:g} with {policy.runs} baseline runs:"]
    for need in needs(config, metric_plans, drop):
        if need.samples is None:
            lines.append(f"  {need.metric}: no set of this noise can ({need.allowed:g} is allowed)")
            continue
        usual = need.samples if need.reworded is None else need.reworded
        hidden = "none" if need.reworded is None else f"{usual}"
        runs = "" if need.runs is None else f"; or {need.runs} baseline runs with this set"
        lines.append(
            f"  {need.metric}: {need.samples} samples where the rest stays, {hidden} where "
            f"{REWORDED:.0%} are reworded ({usual * policy.runs} outputs to record, at most "
            f"{usual * (1 + CONFIRM)} a change){runs}"
        )
    return lines
