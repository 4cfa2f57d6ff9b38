"""A gated metric at its worst value makes no baseline: nothing could ever be worse than that."""

from collections.abc import Collection, Sequence

from ragate.config import Config
from ragate.core.scorecard.staged_run import staged
from ragate.errors import RagateError, UsageError
from ragate.models import Run, Sample
from ragate.pipeline.baseline.gated_columns import at_worst, gated_columns, widest
from ragate.pipeline.doc_ids.id_advice import IdAdvice
from ragate.support.settings import nearest


def refuse_unknown(config: Config, samples: Sequence[Sample], allowed: Collection[str]) -> None:
    """Raise where what may stand at its worst value is nothing that the policy holds."""
    names = [rule.metric for rule in config.policy.rules]
    names += [each.name for each in gated_columns(config.policy, samples) if each.name not in names]
    for name in allowed:
        if name not in names:
            raise UsageError(
                f"--allow-worst {name!r}: no such metric in the policy{nearest(name, names)}"
            )


def refuse_worst(
    config: Config,
    samples: Sequence[Sample],
    run: Run,
    old: Run | None,
    *,
    allowed: Collection[str],
    advice: IdAdvice | None,
) -> None:
    """Raise where a metric, a share that passes or a slice stands at its worst value, newly.

    Args:
        samples: The whole golden set, which says what a slice holds.
        old: The baseline that is there, None for a first one.
        allowed: What may stand so.
        advice: On ids that do not fit, which is what it mostly comes from.
    """
    columns, card = gated_columns(config.policy, samples), config.policy.scorecard
    found = at_worst(columns, staged(run, card))
    before = set() if old is None else at_worst(columns, staged(old, card))
    known = before | set(allowed)
    refused = [name for name in widest(columns, found) if name not in known]
    if not refused:
        return
    values = "their worst values" if len(refused) > 1 else "its worst value"
    message = f"{', '.join(refused)}: at {values}, so that nothing could be seen to get worse"
    options = " ".join(f"--allow-worst {name}" for name in refused)
    way_out = (
        f"if that is right, run `ragate baseline update {options}` and commit the file; the "
        "baseline is unchanged"
    )
    if advice is None:
        raise RagateError(message, remedy=f"`ragate collect` shows the outputs; {way_out}")
    raise RagateError(f"{message}: {advice.message}", remedy=f"{advice.remedy}; {way_out}")
