"""What came of every sample: PASS or FAIL, its scores, and how long it took."""

from collections.abc import Iterator, Mapping, Sequence

from ragate.core.diagnosis.sample_change import passed
from ragate.core.diagnosis.score_delta import means
from ragate.models import PASSES, MetricInfo, Record, Rule, Sample, SampleOutcome

Records = Mapping[str, Sequence[Record]]


def sample_outcomes(
    samples: Sequence[Sample],
    baseline: Records,
    candidate: Records,
    rules: Sequence[Rule],
    infos: Mapping[str, MetricInfo],
) -> Iterator[SampleOutcome]:
    """Yield one for each sample that was run; those that fail first.

    Args:
        baseline, candidate: Every record of a sample, by its id.
    """
    marked = [rule for rule in rules if rule.pass_at is not None]
    marked = [rule for rule in marked if rule.metric == PASSES] or marked
    found = (
        _outcome(sample.id, baseline.get(sample.id, ()), candidate[sample.id], marked, infos)
        for sample in samples
        if sample.id in candidate
    )
    yield from sorted(found, key=lambda each: each.passes is not False)


def _outcome(
    sample_id: str,
    before: Sequence[Record],
    after: Sequence[Record],
    marked: Sequence[Rule],
    infos: Mapping[str, MetricInfo],
) -> SampleOutcome:
    same = bool(before) and before[0].content_hash == after[0].content_hash
    values = means(after)
    times = [each.output.latency_s for each in after if each.output.latency_s is not None]
    return SampleOutcome(
        sample_id=sample_id,
        passes=_all_pass(after, marked, infos),
        passed=_all_pass(before, marked, infos) if same else None,
        scores={name: values.get(name) for name in after[0].scores},
        latency_s=sum(times) / len(times) if times else None,
    )


def _all_pass(
    records: Sequence[Record], marked: Sequence[Rule], infos: Mapping[str, MetricInfo]
) -> bool | None:
    """Return False where any mark is missed, None where none was scored."""
    reached = [passed(records, rule, infos.get(rule.metric)) for rule in marked]
    scored = [each for each in reached if each is not None]
    return all(scored) if scored else None
