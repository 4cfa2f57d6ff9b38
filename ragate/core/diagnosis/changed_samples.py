"""Which samples differ between the two sides, those to look at first in front."""

import heapq
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from operator import itemgetter
from typing import NamedTuple

from ragate.core.diagnosis.run_pair import RecordsBySample, RunPair, pair_runs
from ragate.core.diagnosis.sample_change import ChangedSample, ChangeKind, sample_change
from ragate.core.diagnosis.sample_row import sample_row
from ragate.models import Record, Rule, Run, Sample, SampleRow

MOST_ROWS = 1000
_Urgency = tuple[int, float, float, str]
# Failures first, then what got worse, then what has no baseline, then the rest.
_ORDER: dict[ChangeKind, int] = {
    "failed": 1, "worse": 2, "mixed": 2, "new": 3, "better": 4, "same": 5
}  # fmt: skip


class ChangedSamples(NamedTuple):
    """What changed.

    Attributes:
        rows: One a changed sample, those to look at first in front.
        unchanged: Samples without a difference.
        left_out: Changed samples beyond the rows.
    """

    rows: tuple[SampleRow, ...]
    unchanged: int
    left_out: int = 0


def changed_samples(
    samples: Sequence[Sample],
    baseline: Run | None,
    candidate: Run,
    *,
    rules: Sequence[Rule],
    missing_documents: Mapping[str, tuple[str, ...]],
    control: Run | None = None,
    most: int = MOST_ROWS,
    texts: Callable[[Record], Record] = lambda record: record,
    by_sample: tuple[RecordsBySample, RecordsBySample] | None = None,
) -> ChangedSamples:
    """Return the samples that differ, each with its cause, and the number of those that do not.

    Values are means over the runs of each side. A sample without a baseline (added or edited)
    stands here only where it fails: an error, a pass mark, a limit, a missing document. A
    must-pass sample that misses a mark is shown although nothing changed.

    Order: failing must-pass samples, failed outputs, the largest drop on an error-level metric,
    then on any other, failing new samples, better ones, and those whose scores are equal. At most
    `most` get a row; nobody reads more, and a cause costs time.

    Args:
        texts: Gives a record of the candidate its retrieved texts, where it lacks them.
        by_sample: The records of both sides, where the caller has looked them up already.
    """
    runs = pair_runs(
        baseline, candidate, control, rules=rules, missing=missing_documents, by_sample=by_sample
    )
    counts = Counter[str]()
    # A change holds its records: of the first rows they are read again, of the others let go.
    urgent = heapq.nsmallest(most, _by_urgency(samples, runs, counts), key=itemgetter(0))
    changes = (sample_change(runs.diff(sample), runs) for _, sample in urgent)
    rows = tuple(sample_row(change, runs, texts) for change in changes if change is not None)
    return ChangedSamples(rows, counts["unchanged"], max(0, counts["changed"] - most))


def _by_urgency(
    samples: Sequence[Sample], runs: RunPair, counts: Counter[str]
) -> Iterator[tuple[_Urgency, Sample]]:
    """Yield the samples worth a row with their sort keys, and count all."""
    for sample in samples:
        if sample.id not in runs.candidate:
            continue
        diff = runs.diff(sample)
        change = sample_change(diff, runs)
        counts["unchanged"] += bool(diff.before) and (change is None or change.equal)
        if change is not None:
            counts["changed"] += 1
            yield _urgency(change, runs), sample


def _urgency(change: ChangedSample, runs: RunPair) -> _Urgency:
    """Return the sort key: kind, worst error-level change, worst change, id."""
    sample, deltas = change.diff.sample, change.diff.all_deltas
    gated = [
        delta.gain
        for delta in deltas
        if (rule := runs.rules.get(delta.metric)) is not None and rule.level == "error"
    ]
    return (
        0 if sample.must_pass and change.failing else _ORDER[change.kind],
        min(gated, default=0.0),
        min((delta.gain for delta in deltas), default=0.0),
        sample.id,
    )
