"""A gated metric at its worst value makes no baseline: nothing could ever be worse than that."""

from collections.abc import Collection

from ragate.config import Config
from ragate.errors import RagateError, UsageError
from ragate.models import Direction, MetricInfo, Run
from ragate.pipeline.baseline.write_baseline import run_means
from ragate.pipeline.doc_ids.id_advice import IdAdvice
from ragate.support.settings import nearest

SLACK = 1e-9


def refuse_unknown(config: Config, allowed: Collection[str]) -> None:
    """Raise where a metric that may stand at its worst value is none of the policy's."""
    names = [rule.metric for rule in config.policy.metrics]
    for name in allowed:
        if name not in names:
            raise UsageError(
                f"--allow-worst {name!r}: no such metric in the policy{nearest(name, names)}"
            )


def refuse_worst(
    config: Config, run: Run, old: Run | None, *, allowed: Collection[str], advice: IdAdvice | None
) -> None:
    """Raise where a gated metric stands at its worst value, and did not before.

    Args:
        old: The baseline that is there, None for a first one.
        allowed: Metrics that may stand so.
        advice: On ids that do not fit, which is what it mostly comes from.
    """
    gated = config.policy.gated
    before = set() if old is None else at_worst(old)
    refused = sorted((at_worst(run) & gated) - before - set(allowed))
    if not refused:
        return
    values = "their worst values" if len(refused) > 1 else "its worst value"
    message = f"{', '.join(refused)}: at {values}, so that nothing could be seen to get worse"
    options = " ".join(f"--allow-worst {name}" for name in refused)
    way_out = f"if that is right, `ragate baseline update {options}`; the baseline is unchanged"
    if advice is None:
        raise RagateError(message, remedy=f"`ragate collect` shows the outputs; {way_out}")
    raise RagateError(f"{message}: {advice.message}", remedy=f"{advice.remedy}; {way_out}")


def at_worst(run: Run) -> set[str]:
    """Return the metrics whose mean over all samples and runs is the worst that there is."""
    ends = {name: _worst_end(info) for name, info in run.manifest.metrics.items()}
    return {
        name
        for name, mean in run_means(run).items()
        if (end := ends.get(name)) is not None and abs(mean - end) <= SLACK
    }


def _worst_end(info: MetricInfo) -> float | None:
    return info.low if info.direction is Direction.HIGHER else info.high
