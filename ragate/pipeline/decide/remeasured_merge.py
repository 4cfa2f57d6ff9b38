"""What a merge left out of a baseline, measured on the answers that the baseline holds.

The table of such a metric is fitted on the questions that the baseline and the golden set share: on
a tree just merged, all of them, so that the scores are those that a recording of these answers
would have. Questions that a change adds shift none.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ragate import plugins
from ragate.config import Config
from ragate.core.hashing import content_hash
from ragate.core.lookup import samples_by_id
from ragate.dataset import read_dataset
from ragate.errors import ConfigError, DatasetError
from ragate.models import Needs, Record, Run, Sample, Score
from ragate.pipeline.score.asked.metric_scores import sample_scores
from ragate.protocols import Metric
from ragate.support.spill import Spill


def remeasured(config: Config, baseline: Run, *, beside: Run | None = None) -> Run:
    """Return the baseline with what its merge left out, as far as stored answers tell it.

    That is a metric of the policy that reads the sample and the answer alone, where the file holds
    the answers. Any other stays unmeasured, and is compared with nothing; so does all where the
    golden set cannot be read, or a metric not be made: whoever compares is told of that by itself.

    Args:
        beside: A run that is scored already: its tables are used, so that both have one yardstick.
    """
    manifest = baseline.manifest
    merged = manifest.merged
    if merged is None or not merged.unmeasured or not _holds_answers(baseline):
        return baseline
    try:
        samples = _shared_samples(config, baseline)
        states = beside.manifest.states if beside is not None else {}
        metrics = _metrics(config, samples, merged.unmeasured, states)
    except (DatasetError, ConfigError):
        return baseline
    records = Spill(Record, _scored(baseline.records, samples_by_id(samples), metrics))
    infos = {metric.info.name: metric.info for metric in metrics}
    still = tuple(name for name in merged.unmeasured if name not in infos)
    measured = manifest.amended(
        metrics=manifest.metrics | infos,
        states=manifest.states | {metric.info.name: metric.state for metric in metrics},
        merged=merged.amended(unmeasured=still),
    )
    return baseline.amended(manifest=measured, records=records)


def _shared_samples(config: Config, baseline: Run) -> Sequence[Sample]:
    """Return the golden set's samples that the baseline holds, word for word."""
    hashes = {record.sample_id: record.content_hash for record in baseline.records}
    golden = (s for s in read_dataset(config.dataset) if hashes.get(s.id) == content_hash(s))
    return Spill(Sample, golden)


def _holds_answers(baseline: Run) -> bool:
    outputs = (record.output for record in baseline.records)
    return all(output.answer is not None or output.error is not None for output in outputs)


def _metrics(
    config: Config,
    samples: Sequence[Sample],
    names: Sequence[str],
    states: Mapping[str, Mapping[str, float]],
) -> list[Metric]:
    metrics = []
    for rule in config.policy.metrics:
        if rule.metric not in names or rule.level == "off":
            continue
        settings, state = config.metric_settings.get(rule.metric, {}), states.get(rule.metric)
        metric = plugins.metric(rule.metric, settings=settings, samples=samples, state=state)
        told = getattr(metric, "from_answer", False) is True
        if told and isinstance(metric, Metric) and metric.info.needs is Needs.NOTHING:
            metrics.append(metric)
    return metrics


def _scored(
    records: Iterable[Record], samples: Mapping[str, Sample], metrics: Sequence[Metric]
) -> Iterator[Record]:
    """Yield the records with the scores of these metrics, each distinct output scored once."""
    of_sample, known = "", dict[str, dict[str, Score]]()
    for record in records:
        sample = samples.get(record.sample_id)
        if sample is None:
            yield record
            continue
        if record.sample_id != of_sample:
            of_sample, known = record.sample_id, {}
        if record.output_hash not in known:
            pair = [(sample, record.output)]
            known[record.output_hash] = {
                m.info.name: sample_scores(m, pair, ())[0] for m in metrics
            }
        yield record.amended(scores={**record.scores, **known[record.output_hash]})
