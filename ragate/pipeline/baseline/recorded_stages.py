"""What a scorecard spares of a baseline: by the scores that it holds, for texts may be left out."""

from collections.abc import Mapping, Sequence
from typing import cast

from ragate.config import Config
from ragate.models import Needs, Record, Sample
from ragate.pipeline.score.metric_records import AskedMetric, key_of
from ragate.pipeline.score.spared_stages import SparedStages, spared_stages
from ragate.protocols import Aggregate, AskingMetric, Metric


def recorded_stages(
    config: Config,
    metrics: Sequence[Metric | Aggregate],
    records: Sequence[Record],
    samples: Mapping[str, Sample],
) -> SparedStages | None:
    """Return what a judge need not be asked again; None where nothing is spared.

    Args:
        metrics: Those of the policy.
        samples: By the hash of their content.
    """
    held = [
        metric
        if metric.info.needs is Needs.JUDGE or metric.info.aggregate
        else AskedMetric(cast("AskingMetric", metric))
        for metric in metrics
    ]
    stages = spared_stages(config.policy.scorecard, held)
    if stages is None:
        return None
    filled = [metric for metric in held if isinstance(metric, AskedMetric)]
    for record in records:
        sample = samples.get(record.content_hash)
        if sample is None:
            continue
        key = key_of(sample, record.output)
        known = [metric for metric in filled if metric.info.name in record.scores]
        for metric in known:
            metric.scores[key] = record.scores[metric.info.name]
    return stages
