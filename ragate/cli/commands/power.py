"""``ragate power``: which drops this golden set can show, before anything is spent."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ragate.cli.operations import open_config
from ragate.cli.options import config_option
from ragate.errors import UsageError

if TYPE_CHECKING:
    from ragate.config import Config
    from ragate.pipeline.power_tables import MetricPower

SIZES = (15, 30, 50, 100, 200, 500, 1000)
_CLAIMS = {"generalise": "fresh questions", "this-set": "this set"}
_LEFT = 38
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
    """
    from ragate.core.statistics.metric_noise import ASSUMED_NOISE, Noise
    from ragate.dataset import read_dataset
    from ragate.pipeline.decide.gate_setup import load_baseline_or_none
    from ragate.pipeline.power_tables import assumed_plans, plans

    loaded, _ = open_config(config)
    if not loaded.policy.gated:
        raise UsageError(
            'no metric has level = "error": the gate cannot fail',
            remedy="set the level of a metric in [policy.metrics]",
        )
    questions = read_dataset(loaded.dataset)
    baseline = load_baseline_or_none(loaded)
    if baseline is not None and noise is None:
        today = datetime.now(UTC).date()
        metric_plans = plans(loaded, questions, baseline, today=today, size=samples)
        runs = baseline.manifest.runs - baseline.manifest.identical
    else:
        q = ASSUMED_NOISE if noise is None else noise
        metric_plans = assumed_plans(loaded, samples or len(questions), Noise(q=q, carriers=q))
        runs = loaded.policy.runs
    _refuse_no_plan(metric_plans)
    source = _source(metric_plans, runs)
    click.echo(
        "\n".join([*_table(loaded, metric_plans, source), "", *_needs(loaded, metric_plans, drop)])
    )
    return 0


def _refuse_no_plan(metric_plans: Sequence[MetricPower]) -> None:
    if not metric_plans:
        raise UsageError(
            "only slices gate, and of none it is known what it can see",
            remedy="record a baseline first; `ragate doctor` says which slices are too small",
        )


def _source(metric_plans: Sequence[MetricPower], runs: int) -> str:
    counted = f"{runs} baseline run{'' if runs == 1 else 's'}"
    assumed = {plan.noise.q for plan in metric_plans if not plan.exact and not plan.noise.measured}
    if all(plan.exact for plan in metric_plans):
        return f"{counted} of metrics without noise"
    if not assumed:
        return f"noise measured on {counted}"
    return f"{counted}; noise assumed: {max(assumed):g} of the samples differ between two runs"


def _table(config: Config, metric_plans: Sequence[MetricPower], source: str) -> list[str]:
    from ragate.pipeline.power_tables import claims
    from ragate.renderers._lines import wrapped

    looks = ["1 run", f"up to {1 + config.policy.confirm}"][: 2 if config.policy.confirm else 1]
    names = [_CLAIMS[claim] for claim in claims(config)]
    wide = _WIDTH * len(looks)
    return [
        *wrapped(f"Smallest drop that is red in 4 of 5 cases ({source})"),
        " " * _LEFT + "".join(f"{name:>{wide}}" for name in names),
        f"{'metric':<22}{'samples':>8}{'noise':>8}"
        + "".join(f"{look:>{_WIDTH}}" for look in looks) * len(names),
        *(line for plan in metric_plans for line in _row(plan, len(looks))),
    ]


def _row(plan: MetricPower, looks: int) -> list[str]:
    """Return the metric's line; a long name has one of its own, so that the columns stay."""
    name = plan.metric if len(plan.metric) < _NAME else ""
    above = [] if name else [plan.metric]
    if plan.exact:
        return [*above, f"{name:<22}{plan.n:>8}    none   every drop above {plan.limit:.3f}"]
    drops = [drop for sight in plan.sights for drop in (sight.once, sight.confirmed)[:looks]]
    start = f"{name:<22}{plan.n:>8}{plan.noise.q:>8.3f}"
    return [*above, start + "".join(f"{_drop(drop):>{_WIDTH}}" for drop in drops)]


def _drop(value: float | None) -> str:
    return "never" if value is None else f"{value:.3f}"


def _needs(config: Config, metric_plans: Sequence[MetricPower], drop: float) -> list[str]:
    from ragate.core.statistics.power_search import power_plot
    from ragate.pipeline.power_needs import needs
    from ragate.pipeline.power_tables import claims

    noisy = [plan for plan in metric_plans if not plan.exact]
    if not noisy:
        return ["Nothing here is noisy: more samples widen what is asked, not what is seen."]
    policy = config.policy
    claim = _CLAIMS[claims(config)[0]]
    lines = [f"To see a drop of {drop:g} with {policy.runs} baseline runs ({claim}):"]
    for need in needs(config, metric_plans, drop):
        if need.samples is None:
            lines.append(f"  {need.metric}: no set of this noise can ({need.allowed:g} is allowed)")
            continue
        outputs = need.samples * (policy.runs + 1 + policy.confirm)
        runs = "" if need.runs is None else f"; or {need.runs} baseline runs with this set"
        lines.append(
            f"  {need.metric}: {need.samples} samples ({need.samples * policy.runs} outputs to "
            f"record, at most {outputs - need.samples * policy.runs} a change){runs}"
        )
    worst = max(noisy, key=lambda plan: plan.noise.q)
    shape = worst.sights[0].design.with_baseline(policy.runs)
    return [*lines, "", f"{worst.metric} ({claim}):", power_plot(SIZES, worst.noise, shape)]
