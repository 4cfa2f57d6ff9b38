"""What became of each sample: worse, better, failed, new or nothing; by itself PASS or FAIL."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from ragate.core.diagnosis.run_pair import RecordsBySample, RunPair
from ragate.core.diagnosis.sample_diff import SampleDiff, means, values
from ragate.models import (
    PASSES,
    MetricInfo,
    Record,
    Rule,
    Sample,
    SampleOutcome,
    ScoreState,
)

_SLACK = 1e-9
ChangeKind = Literal["worse", "better", "mixed", "same", "failed", "new"]


class ChangedSample(NamedTuple):
    """One sample that is worth a row.

    Attributes:
        failing: Error-level metrics whose mark, or else limit, most of the runs miss.
        equal: True where nothing differs.
    """

    diff: SampleDiff
    kind: ChangeKind
    failing: Sequence[str]
    equal: bool = False


def sample_change(diff: SampleDiff, runs: RunPair) -> ChangedSample | None:
    """Return what is worth a row, None where there is nothing to see."""
    return _compared(diff, runs) if diff.before else _without_baseline(diff, runs)


def _without_baseline(diff: SampleDiff, runs: RunPair) -> ChangedSample | None:
    failing = _failing(diff.after, runs)
    if any(record.output.error for record in diff.after):
        return ChangedSample(diff, "failed", failing)
    if failing or diff.missing:
        return ChangedSample(diff, "new", failing)
    return None


def _compared(diff: SampleDiff, runs: RunPair) -> ChangedSample | None:
    old, new = diff.means
    failing = _failing(diff.after, runs, marked=True) if diff.sample.must_pass else []
    lost_score = old.keys() - new.keys() and any(name in old for name in unscored(diff.after))
    same_outputs = {record.output_hash for record in diff.after} <= diff.output_hashes
    # An answer that is taken from the baseline is compared with nothing: others of its passes that
    # scored otherwise are no change.
    deltas = [each for each in diff.all_deltas if not (diff.is_taken and each.comparable)]
    equal = not (deltas or lost_score) and same_outputs
    if equal and not failing:
        return None
    return ChangedSample(diff, _kind(diff), failing, equal)


def _kind(diff: SampleDiff) -> ChangeKind:
    failed, failed_before = (
        sum(record.output.error is not None for record in side) / len(side)
        for side in (diff.after, diff.before)
    )
    if failed > failed_before:
        return "failed"
    deltas = [delta for delta in diff.all_deltas if delta.comparable] or diff.all_deltas
    signs = {delta.gain > 0 for delta in deltas}
    if not signs:
        return "same"
    return "mixed" if len(signs) > 1 else ("better" if signs.pop() else "worse")


def _failing(records: Sequence[Record], runs: RunPair, *, marked: bool = False) -> list[str]:
    """Return the error-level metrics whose mark, or else limit, most of the runs miss.

    Args:
        marked: Marks alone: a limit is of the mean, and must-pass samples are held to marks.
    """
    return [
        name
        for name, rule in runs.rules.items()
        if rule.level == "error"
        and not (marked and rule.pass_at is None)
        and _misses(records, rule, runs.metrics.get(name))
    ]


def _misses(records: Sequence[Record], rule: Rule, info: MetricInfo | None) -> bool:
    scores = values(records, rule.metric)
    return sum(not _passes(score, rule, info) for score in scores) > len(scores) / 2


def fails(
    records: Sequence[Record], rules: Iterable[Rule], infos: Mapping[str, MetricInfo]
) -> bool:
    """Return whether most runs of a sample fail: with an error, or on a metric that gates.

    There a mark or a limit is missed; without either the value is the worst that there is.
    """
    errors = sum(record.output.error is not None for record in records)
    return errors > len(records) / 2 or any(
        rule.gates and _fails(records, rule, infos.get(rule.metric)) for rule in rules
    )


def _fails(records: Sequence[Record], rule: Rule, info: MetricInfo | None) -> bool:
    if info is None or (rule.pass_at, rule.minimum, rule.maximum) != (None, None, None):
        return _misses(records, rule, info)
    scores, worst = values(records, rule.metric), info.worst
    at_worst = sum(worst is not None and abs(score - worst) <= _SLACK for score in scores)
    return at_worst > len(scores) / 2


def passed(records: Sequence[Record], rule: Rule | None, info: MetricInfo | None) -> bool | None:
    """Return whether most runs of a sample reach the pass mark; None without mark or score."""
    if rule is None or rule.pass_at is None:
        return None
    scores = values(records, rule.metric)
    reached = sum(_passes(score, rule, info) for score in scores)
    return reached > len(scores) / 2 if scores else None


def _passes(value: float, rule: Rule, info: MetricInfo | None) -> bool:
    if rule.pass_at is not None:
        return (info or MetricInfo(name=rule.metric)).reaches(rule.pass_at, value)
    if rule.minimum is not None and not value >= rule.minimum - _SLACK:
        return False
    return rule.maximum is None or value <= rule.maximum + _SLACK


def unscored(records: Sequence[Record]) -> list[str]:
    """Return the metrics that could not be measured, once for each run."""
    return [
        name
        for record in records
        for name, score in record.scores.items()
        if score.state is ScoreState.UNSCORED
    ]


def sample_outcomes(
    samples: Sequence[Sample],
    baseline: RecordsBySample,
    candidate: RecordsBySample,
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
        _outcome(
            sample.id,
            baseline.get(sample.id, ()) if marked else (),
            candidate[sample.id],
            marked,
            infos,
        )
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
