"""Samples that cannot have changed: nothing upstream of their scores differs."""

from dataclasses import replace

import numpy as np

from ragate.core.comparison.run_passes import PassPair
from ragate.core.hashing import is_recorded
from ragate.core.lookup import tells_outputs
from ragate.core.statistics.score_columns import Column, Floats, Mask, Side, row_means
from ragate.models import Reads, Run


def find_unaffected(
    baseline: Run | None,
    candidate: Run,
    passes: PassPair,
) -> tuple[Mask, bool]:
    """Return which samples cannot have changed, and whether that is known at all.

    Sessions that agree are no such knowledge: what they gave was measured, and may be lost.
    """
    unaffected = np.zeros(len(passes.ids), dtype=bool)
    if baseline is None:
        return unaffected, False
    systems = (baseline.manifest.system, candidate.manifest.system)
    declared = all(Reads.ANSWER in s.deterministic for s in systems)
    traceable = declared
    if not declared and not tells_outputs(candidate.records):
        return unaffected, False
    for row, key in enumerate(passes.ids):
        records = [record for each in passes.whole if (record := each.get(key)) is not None]
        if len(records) < len(passes.whole) or any(record.output.error for record in records):
            continue
        traceable = traceable or all(record.output.request_hash is not None for record in records)
        outputs = {record.output_hash for record in records}
        unaffected[row] = _same_request(key, passes) or (declared and len(outputs) == 1)
    return unaffected, traceable


def same_requests(passes: PassPair) -> Mask:
    """Return the samples whose model requests are the same on both sides, and so what they took.

    Equal outputs do not show that: a longer prompt may lead to the same answer.
    """
    return np.array([_same_request(key, passes) for key in passes.ids], dtype=bool)


def _same_request(key: str, passes: PassPair) -> bool:
    records = [each.get(key) for each in passes.whole]
    requests = {record.output.request_hash for record in records if record is not None}
    if any(map(is_recorded, requests)):
        return _replayed(key, passes)
    return len(requests) == 1 and None not in requests


def _replayed(key: str, passes: PassPair) -> bool:
    """Return True where each output, with its recorded requests, is one that the baseline gave.

    A chain of requests may take another way in each pass, since the model's first answer does: so
    each pass is looked for among the baseline's.
    """
    before, after = (
        {
            (record.output.request_hash, record.output_hash)
            for each in side.whole
            if (record := each.get(key)) is not None
        }
        for side in (passes.baseline, passes.candidate)
    )
    return after <= before and all(is_recorded(request) for request, _ in after)


def none_measured(passes: PassPair, unaffected: Mask) -> str:
    """Return why nothing that can have changed was measured, "" where something was.

    A provider's failure on the few samples that a change touches must not hide among the many
    that it does not.
    """
    message = ""
    for key in (key for key, same in zip(passes.ids, unaffected, strict=True) if not same):
        for each in passes.candidate.whole:
            error = each[key].output.error if key in each else None
            if error is None or error.kind != "provider":
                return ""
            message = message or error.message
    return message


def keep_baseline(column: Column, unaffected: Mask) -> Column:
    """Give unaffected samples their baseline mean: what cannot have changed carries no noise."""
    rows = unaffected & column.baseline.valued & column.applies
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
