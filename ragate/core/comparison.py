"""Put a candidate beside its baseline: same samples, same metrics, same judge, or say why not."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from ragate.core.columns import Column, Floats, Mask, Side, pair, read_side, row_means
from ragate.core.matching import Matching, cluster_numbers, match
from ragate.core.passes import Passes, read_passes
from ragate.models import (
    DataChanges,
    MetricInfo,
    Needs,
    Reads,
    Record,
    Run,
    RunManifest,
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
        all_failed: True where every output of the candidate is a failure.
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
    all_failed: bool
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
) -> Comparison:
    """Compare sample by sample.

    Args:
        baseline: All passes of the baseline; None where there is none yet.
        samples: The selected golden set of now.
        cluster: A metadata field or tag prefix whose samples stand or fall together.
    """
    partial = candidate.manifest.filters.partial
    found = match(baseline, candidate, samples, partial=partial)
    then = read_passes(baseline, found.matched)
    now = read_passes(candidate, [*found.matched, *found.added])
    unaffected, known = _unaffected(baseline, candidate, then, now, found.matched)
    by_id = {sample.id: sample for sample in samples}
    outputs = [record.output for record in candidate.records]
    return Comparison(
        data=found.data,
        ids=found.matched,
        added=found.added,
        enough=found.enough,
        clusters=cluster_numbers(by_id, found.matched, cluster),
        cluster=cluster,
        columns=_columns(baseline, candidate, then, now, found, unaffected),
        aggregates=_aggregates(baseline, candidate),
        baseline=then,
        candidate=now,
        unaffected=unaffected,
        affected=int((~unaffected).sum()) if known else None,
        all_failed=bool(outputs) and all(output.error is not None for output in outputs),
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
) -> dict[str, Column]:
    infos = {
        **(baseline.manifest.metrics if baseline else {}),
        **candidate.manifest.metrics,
    }
    columns = {}
    for name, info in infos.items():
        if info.aggregate:
            continue
        column = pair(
            info,
            read_side(info, then.distinct, found.matched),
            read_side(info, now.distinct, found.matched),
            read_side(info, now.distinct, found.added),
        )
        problem, remedy = _problem(name, baseline, candidate)
        column = replace(
            column,
            problem=problem,
            remedy=remedy,
            exact=_exact(info, baseline, candidate, then, now, found.matched),
            declared=info.reads in candidate.manifest.system.deterministic,
        )
        if not problem and info.reads is not Reads.RUN:
            column = _keep(column, unaffected)
        columns[name] = column
    return columns


def _problem(name: str, baseline: Run | None, candidate: Run) -> tuple[str, str]:
    """Return why one metric does not compare, and the command that mends it."""
    if baseline is None:
        return "there is no baseline", "ragate baseline update"
    then, now = baseline.manifest, candidate.manifest
    if name not in now.metrics:
        return f"{name} was not measured", ""
    if name not in then.metrics:
        return f"the baseline has no {name}", "ragate baseline update"
    old, new = then.metrics[name], now.metrics[name]
    if (old.version, old.fingerprint) != (new.version, new.fingerprint):
        return f"the baseline holds another version of {name}", "ragate baseline update"
    if new.needs is Needs.JUDGE and then.judge != now.judge:
        return f"the baseline's {name} comes from another judge", "ragate baseline rejudge"
    return "", ""


def _exact(
    info: MetricInfo,
    baseline: Run | None,
    candidate: Run,
    then: Passes,
    now: Passes,
    ids: Sequence[str],
) -> bool:
    """Whether a metric carries no noise: declared so, and its inputs repeated byte for byte."""
    if baseline is None or info.needs is not Needs.NOTHING or info.reads is Reads.RUN:
        return False
    if info.reads is Reads.ANSWER:
        manifests: tuple[RunManifest, ...] = (baseline.manifest, candidate.manifest)
        if any(Reads.ANSWER not in each.system.deterministic for each in manifests):
            return False
    return then.repeats >= 2 and _repeats(info, then, ids) and _repeats(info, now, ids)


def _repeats(info: MetricInfo, passes: Passes, ids: Sequence[str]) -> bool:
    def read(record: Record | None) -> str:
        if record is None:
            return ""
        return record.retrieval_hash if info.reads is Reads.RETRIEVAL else record.output_hash

    first, *rest = passes.distinct or ({},)
    return all(read(each.get(key)) == read(first.get(key)) for each in rest for key in ids)


def _unaffected(
    baseline: Run | None, candidate: Run, then: Passes, now: Passes, ids: Sequence[str]
) -> tuple[Mask, bool]:
    """Return which samples cannot have changed, and whether that is known at all."""
    mask = np.zeros(len(ids), dtype=bool)
    if baseline is None:
        return mask, False
    sides = (baseline.manifest.system, candidate.manifest.system)
    declared = all(Reads.ANSWER in each.deterministic for each in sides)
    known = declared
    passes = (*then.whole, *now.whole)
    for row, key in enumerate(ids):
        records = [each.get(key) for each in passes]
        if any(record is None or record.output.error is not None for record in records):
            continue
        requests = {record.output.request_hash for record in records if record is not None}
        known = known or None not in requests
        same_request = len(requests) == 1 and None not in requests
        outputs = {record.output_hash for record in records if record is not None}
        mask[row] = same_request or (declared and len(outputs) == 1)
    return mask, known


def _keep(column: Column, unaffected: Mask) -> Column:
    """Give unaffected samples their baseline mean: what cannot have changed carries no noise."""
    scored = np.isfinite(column.baseline.values).any(axis=1)
    rows = unaffected & scored & column.applies
    if not rows.any():
        return column
    means = row_means(column.baseline.values[rows])[:, None]
    return replace(
        column,
        baseline=_filled(column.baseline, rows, means),
        candidate=_filled(column.candidate, rows, means),
    )


def _filled(side: Side, rows: Mask, means: Floats) -> Side:
    values = side.values.copy()
    values[rows] = means
    return replace(side, values=values)


def _aggregates(baseline: Run | None, candidate: Run) -> dict[str, AggregatePair]:
    infos = {**(baseline.manifest.metrics if baseline else {}), **candidate.manifest.metrics}
    pairs = {}
    for name, info in infos.items():
        if info.aggregate:
            now, reason = _mean_of(name, candidate.aggregates)
            then, _ = _mean_of(name, baseline.aggregates if baseline else ())
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
