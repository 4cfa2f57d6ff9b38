"""Put a candidate beside its baseline: same samples, same metrics, same judge, or say why not."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ragate.core.comparison.affected_samples import (
    find_unaffected,
    keep_baseline,
    none_measured,
    same_requests,
)
from ragate.core.comparison.repeating_samples import Repetition, read_repetition
from ragate.core.comparison.run_passes import Passes, PassPair, read_pair
from ragate.core.comparison.sample_matching import Matching, cluster_numbers, match, with_new_ids
from ragate.core.lookup import samples_by_id
from ragate.core.statistics.score_columns import Column, Mask, pair, read_sides
from ragate.models import MetricInfo, Needs, Reads, Run, Sample, Score, Waiver


@dataclass(frozen=True)
class AggregatePair:
    """A rate or percentile over the whole run: the mean over its passes, None where unscored.

    Attributes:
        reason: Why the run has none; beside a value what the metric says of it, such as how many
            samples it left out.
    """

    info: MetricInfo
    baseline: float | None
    candidate: float | None
    reason: str = ""


def pair_aggregates(
    infos: Mapping[str, MetricInfo], baseline: Run | None, candidate: Run
) -> dict[str, AggregatePair]:
    """Return a pair for each of `infos` that is an aggregate."""
    pairs = {}
    for name, info in infos.items():
        if not info.aggregate:
            continue
        after, reason = _mean_of(name, candidate.aggregates)
        before = None
        if baseline is not None:
            before, _ = _mean_of(name, baseline.aggregates)
            if before is None:  # a file holds what a machine's speed decides beside its scores
                before = baseline.manifest.seconds.get(name)
        pairs[name] = AggregatePair(info, before, after, reason)
    return pairs


def _mean_of(name: str, passes: Iterable[Mapping[str, Score]]) -> tuple[float | None, str]:
    """Return the mean over the passes; one pass without a value leaves none."""
    scores = [each[name] for each in passes if name in each]
    if not scores:
        return None, f"{name} was not measured"
    values = [score.value for score in scores if score.value is not None]
    if len(values) < len(scores):
        return None, next(score.reason for score in scores if score.value is None)
    reason = next((score.reason for score in scores if score.reason), "")
    return sum(values) / len(values), reason


@dataclass(frozen=True)
class Comparison(Matching):
    """Everything that the decision reads; `ids` are the rows of every column, `added` of its added.

    Attributes:
        clusters: Number of each row's cluster, or None.
        unaffected: (rows,) True where nothing upstream of the scores can have changed.
        affected: Rows that can have changed; None where neither requests nor determinism are known.
        identical: True where both sides hold the same output for every matched sample.
        all_failed: True where every output of the candidate is a failure.
        repetition: Which samples repeat on both sides.
        not_measured: Why no affected sample has an output, "" where one has.
        baseline_run, candidate_run, samples: What was compared, for must-pass samples.
    """

    clusters: npt.NDArray[np.intp] | None
    cluster: str
    columns: Mapping[str, Column]
    aggregates: Mapping[str, AggregatePair]
    baseline: Passes
    candidate: Passes
    unaffected: Mask
    affected: int | None
    identical: bool
    all_failed: bool
    repetition: Repetition
    not_measured: str
    partial: bool
    baseline_run: Run | None
    candidate_run: Run
    samples: Mapping[str, Sample]
    waivers: tuple[Waiver, ...] = ()

    def ids_of(self, rows: Mask) -> list[str]:
        """Return the ids of the matched samples where `rows` is True."""
        return [self.ids[row] for row in np.flatnonzero(rows)]


def compare(
    baseline: Run | None,
    candidate: Run,
    samples: Sequence[Sample],
    *,
    cluster: str = "",
    waivers: Sequence[Waiver] = (),
) -> Comparison:
    """Compare sample by sample.

    Args:
        baseline: All passes of the baseline; None where there is none yet.
        samples: The selected golden set of now.
        cluster: A metadata field or tag prefix whose samples stand or fall together.
    """
    partial = candidate.manifest.filters.narrows
    by_id = samples_by_id(samples)
    matching = match(baseline, candidate, by_id, partial=partial)
    if baseline is not None:
        baseline = with_new_ids(baseline, matching.data.renamed)
    passes = read_pair(baseline, candidate, matching.ids, matching.added)
    clusters = cluster_numbers(by_id, matching.ids, cluster)
    repetition = read_repetition(baseline, candidate, passes, clusters=clusters)
    unaffected, traceable = find_unaffected(baseline, candidate, passes)
    infos = {**(baseline.manifest.metrics if baseline else {}), **candidate.manifest.metrics}
    columns = _columns(infos, baseline, candidate, passes, matching.added, unaffected, repetition)
    return Comparison(
        matching.ids,
        matching.added,
        matching.data,
        clusters=clusters,
        cluster=cluster,
        columns=columns,
        aggregates=pair_aggregates(infos, baseline, candidate),
        baseline=passes.baseline,
        candidate=passes.candidate,
        unaffected=unaffected,
        affected=int((~unaffected).sum()) if traceable else None,
        identical=passes.same_outputs,
        repetition=repetition,
        not_measured=none_measured(passes, unaffected) if traceable else "",
        all_failed=_all_failed(candidate),
        partial=partial,
        baseline_run=baseline,
        candidate_run=candidate,
        samples=by_id,
        waivers=tuple(waivers),
    )


def _all_failed(run: Run) -> bool:
    return len(run.records) > 0 and all(each.output.error is not None for each in run.records)


def _columns(
    infos: Mapping[str, MetricInfo],
    baseline: Run | None,
    candidate: Run,
    passes: PassPair,
    added: Sequence[str],
    unaffected: Mask,
    repetition: Repetition,
) -> dict[str, Column]:
    of_samples = {name: info for name, info in infos.items() if not info.aggregate}
    after_passes = passes.candidate.distinct
    before = read_sides(of_samples, passes.baseline.distinct, passes.ids)
    with_itself = passes.candidate is passes.baseline
    after = before if with_itself else read_sides(of_samples, after_passes, passes.ids)
    unmatched = read_sides(of_samples, after_passes, added)
    declared = candidate.manifest.system.deterministic
    columns = {}
    for name, info in of_samples.items():
        problem, remedy = problem_of(name, baseline, candidate)
        column = pair(info, before[name], after[name], unmatched[name])
        varies = repetition.varying(info)
        column = replace(
            column,
            problem=problem,
            remedy=remedy,
            risen=bool(problem) and has_risen(name, baseline, candidate),
            varies=column.varies if varies is None else varies,
            declared=info.reads in declared,
        )
        if not problem and info.reads is not Reads.RUN:
            cannot_differ = unaffected & same_requests(passes) if info.is_expense else unaffected
            column = keep_baseline(column, cannot_differ)
        columns[name] = column
    return columns


def has_risen(name: str, baseline: Run | None, candidate: Run) -> bool:
    """Tell whether a metric is of a newer version than the baseline's: ragate was updated."""
    before = baseline.manifest.metrics.get(name) if baseline else None
    after = candidate.manifest.metrics.get(name)
    return before is not None and after is not None and after.version > before.version


def problem_of(name: str, baseline: Run | None, candidate: Run) -> tuple[str, str]:
    """Return why one metric does not compare, and the command that mends it."""
    if baseline is None:
        return "there is no baseline", "ragate baseline update"
    before, after = baseline.manifest, candidate.manifest
    if name not in after.metrics:
        return f"{name} was not measured", ""
    if name not in before.metrics:
        return f"the baseline has no {name}", "ragate baseline update"
    old, new = before.metrics[name], after.metrics[name]
    if (old.version, old.fingerprint) != (new.version, new.fingerprint):
        reads_stored_answers = (
            new.needs is Needs.NOTHING and new.reads is Reads.ANSWER and not new.aggregate
        )
        remedy = "ragate baseline rejudge" if reads_stored_answers else "ragate baseline update"
        return f"the baseline holds another version of {name}", remedy
    if new.needs is Needs.JUDGE and before.judge != after.judge:
        return f"the baseline's {name} comes from another judge", "ragate baseline rejudge"
    return "", ""
