"""Put a candidate beside its baseline: same samples, same metrics, same judge, or say why not."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ragate.core.comparison.affected_samples import (
    find_unaffected,
    keep_baseline,
    none_measured,
    same_requests,
)
from ragate.core.comparison.comparability import problem_of
from ragate.core.comparison.identical_runs import same_outputs
from ragate.core.comparison.repeating_samples import Repetition, declared_parts, read_repetition
from ragate.core.comparison.run_passes import Passes, read_passes
from ragate.core.comparison.sample_matching import Matching, cluster_numbers, match
from ragate.core.lookup import samples_by_id
from ragate.core.statistics.score_columns import Column, Mask, pair, read_sides
from ragate.models import (
    DataChanges,
    MetricInfo,
    Reads,
    Run,
    Sample,
    Score,
    Waiver,
)


@dataclass(frozen=True)
class AggregatePair:
    """A rate or percentile over the whole run: the mean over its passes, None where unscored."""

    info: MetricInfo
    baseline: float | None
    candidate: float | None
    reason: str = ""


@dataclass(frozen=True)
class Comparison:
    """Everything that the decision reads.

    Attributes:
        data: Samples matched, added, removed and edited.
        ids: Matched samples, sorted; the rows of every column.
        added: Selected samples without a partner; the rows of every column's `added`.
        enough: Whether at least 80 % of the selected baseline samples matched.
        clusters: Number of each row's cluster, or None.
        unaffected: (rows,) True where nothing upstream of the scores can have changed.
        affected: Rows that can have changed; None where neither requests nor determinism are known.
        identical: True where both sides hold the same output for every matched sample.
        all_failed: True where every output of the candidate is a failure.
        repetition: Which samples repeat on both sides.
        not_measured: Why no affected sample has an output, "" where one has.
        baseline_run, candidate_run, samples: What was compared, for the control and must-pass.
    """

    data: DataChanges
    ids: tuple[str, ...]
    added: tuple[str, ...]
    enough: bool
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

    @property
    def same_system(self) -> bool:
        """Whether both fingerprints are known and equal."""
        if self.baseline_run is None:
            return False
        then = self.baseline_run.manifest.system.fingerprint
        return bool(then) and then == self.candidate_run.manifest.system.fingerprint


def compare(
    baseline: Run | None,
    candidate: Run,
    samples: Sequence[Sample],
    *,
    cluster: str = "",
    waivers: Sequence[Waiver] = (),
    repeats: Collection[str] = (),
) -> Comparison:
    """Compare sample by sample.

    Args:
        baseline: All passes of the baseline; None where there is none yet.
        samples: The selected golden set of now.
        cluster: A metadata field or tag prefix whose samples stand or fall together.
        repeats: What the policy declares to repeat exactly: ``retrieval``, ``answer``.
    """
    partial = candidate.manifest.filters.narrows
    found = match(baseline, candidate, samples, partial=partial)
    then = read_passes(baseline, found.matched)
    now = read_passes(candidate, [*found.matched, *found.added])
    repetition = read_repetition(baseline, candidate, then, now, found.matched, policy=repeats)
    declared = declared_parts(repeats)
    unaffected, known = find_unaffected(
        baseline, candidate, then, now, found.matched, repeats=declared
    )
    by_id = samples_by_id(samples)
    failed = all(record.output.error is not None for record in candidate.records)
    return Comparison(
        data=found.data,
        ids=found.matched,
        added=found.added,
        enough=found.enough,
        clusters=cluster_numbers(by_id, found.matched, cluster),
        cluster=cluster,
        columns=_columns(baseline, candidate, then, now, found, unaffected, repetition),
        aggregates=_aggregates(baseline, candidate),
        baseline=then,
        candidate=now,
        unaffected=unaffected,
        affected=int((~unaffected).sum()) if known else None,
        identical=same_outputs(then, now, found.matched),
        repetition=repetition,
        not_measured=none_measured(now, found.matched, unaffected) if known else "",
        all_failed=failed and len(candidate.records) > 0,
        partial=partial,
        baseline_run=baseline,
        candidate_run=candidate,
        samples=by_id,
        waivers=tuple(waivers),
    )


def _columns(
    baseline: Run | None,
    candidate: Run,
    then: Passes,
    now: Passes,
    found: Matching,
    unaffected: Mask,
    repetition: Repetition,
) -> dict[str, Column]:
    infos = {
        **(baseline.manifest.metrics if baseline else {}),
        **candidate.manifest.metrics,
    }
    ids = found.matched
    of_samples = {name: info for name, info in infos.items() if not info.aggregate}
    old = read_sides(of_samples, then.distinct, found.matched)
    new = read_sides(of_samples, now.distinct, found.matched)
    added = read_sides(of_samples, now.distinct, found.added)
    columns = {}
    for name, info in of_samples.items():
        column = pair(info, old[name], new[name], added[name])
        problem, remedy = problem_of(name, baseline, candidate)
        part = repetition.of(info)
        known = candidate.manifest.system.deterministic | repetition.exact
        column = replace(
            column,
            problem=problem,
            remedy=remedy,
            exact=repetition.is_exact(info),
            varies=part.varies if part is not None else None,
            declared=info.reads in known,
        )
        if not problem and info.reads is not Reads.RUN:
            spared = unaffected & same_requests(then, now, ids) if info.is_expense else unaffected
            column = keep_baseline(column, spared)
        columns[name] = column
    return columns


def _aggregates(baseline: Run | None, candidate: Run) -> dict[str, AggregatePair]:
    infos = {**(baseline.manifest.metrics if baseline else {}), **candidate.manifest.metrics}
    pairs = {}
    for name, info in infos.items():
        if info.aggregate:
            now, reason = _mean_of(name, candidate.aggregates)
            then, _ = _mean_of(name, baseline.aggregates if baseline else ())
            if then is None and baseline is not None:
                then = baseline.manifest.seconds.get(name)
            pairs[name] = AggregatePair(info, then, now, reason)
    return pairs


def _mean_of(name: str, passes: Iterable[Mapping[str, Score]]) -> tuple[float | None, str]:
    """Return the mean over the passes; one pass without a value leaves none."""
    scores = [each[name] for each in passes if name in each]
    values = [score.value for score in scores if score.value is not None]
    if not scores:
        return None, f"{name} was not measured"
    if len(values) < len(scores):
        return None, next(score.reason for score in scores if score.value is None)
    return sum(values) / len(values), ""
