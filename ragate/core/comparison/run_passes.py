"""The passes of a run, and of two, over the samples: which are whole, which equal another.

Of a run that took over passes of earlier runs: which are its own, and which may decide. They count
together only where everything that the system reads is proven the same. Elsewhere a service may
have been deployed anew, or a table may have lost its rows, without a trace in git: then the newest
run alone decides, and good passes of yesterday do not hide what is broken today.
"""

import hashlib
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import NamedTuple

from ragate.core.hashing import calls_hash, is_recorded
from ragate.core.lookup import LazyItems, Pass, SampleTries, passes_of
from ragate.models import Record, Run, RunManifest, SystemOutput

_NO_CALLS = calls_hash(())


@dataclass(frozen=True)
class Passes:
    """The passes of one side over the matched samples, in the order they were made.

    Attributes:
        whole: Passes that cover as many of these samples as the fullest one; the others hold extra
            tries of must-pass samples.
        distinct: Those of `whole` that do not equal an earlier one byte for byte.
        tries: Every record of a sample, extra tries included, by sample id.
        repeats: Passes that the run was made of, those not stored (equal to another) included.
    """

    whole: tuple[Pass, ...]
    distinct: tuple[Pass, ...]
    tries: Mapping[str, tuple[Record, ...]]
    repeats: int

    @property
    def identical(self) -> int:
        """Number of passes that add nothing to an earlier one."""
        return self.repeats - len(self.distinct)


class PassPair(NamedTuple):
    """Both sides' passes over the samples `ids`, which both have."""

    baseline: Passes
    candidate: Passes
    ids: Sequence[str]

    @property
    def whole(self) -> tuple[Pass, ...]:
        """The whole passes of both sides."""
        return (*self.baseline.whole, *self.candidate.whole)

    @property
    def same_outputs(self) -> bool:
        """True where every whole pass of both sides holds the same output for every sample.

        A provider's failure is no output.
        """
        if len(self.baseline.distinct) != 1 or len(self.candidate.distinct) != 1:
            return False
        [before], [after] = self.baseline.distinct, self.candidate.distinct
        return all(
            key in before
            and key in after
            and before[key].output_hash == after[key].output_hash
            and is_measured(after[key].output)
            for key in self.ids
        )


def is_measured(output: SystemOutput) -> bool:
    """Return False for a provider's failure, which says nothing about the system."""
    return output.error is None or output.error.kind != "provider"


def read_passes(run: Run | None, ids: Sequence[str]) -> Passes:
    """Return the passes of `run` over the samples `ids`."""
    if run is None:
        return Passes((), (), {}, 0)
    passes = passes_of(run.records)
    whole = _fullest(passes, ids)
    left_out = run.manifest.runs - len(passes)  # equal passes that a file need not hold twice
    repeats = len(whole) + (left_out if 0 < left_out == run.manifest.identical else 0)
    return Passes(whole, _distinct(whole, ids), SampleTries(passes), repeats)


def read_pair(
    baseline: Run | None, candidate: Run, matched: Sequence[str], added: Sequence[str] = ()
) -> PassPair:
    """Return both runs' passes over the `matched` samples; the candidate has the `added`, too."""
    before = read_passes(baseline, matched)
    with_itself = candidate is baseline and not added
    after = before if with_itself else read_passes(candidate, [*matched, *added])
    return PassPair(before, after, matched)


def _fullest(passes: Sequence[Pass], ids: Sequence[str]) -> tuple[Pass, ...]:
    counts = [sum(key in each for key in ids) for each in passes]
    fullest = max(counts, default=0)
    return tuple(each for each, count in zip(passes, counts, strict=True) if count == fullest > 0)


def _distinct(passes: Sequence[Pass], ids: Sequence[str]) -> tuple[Pass, ...]:
    if len(passes) < 2:
        return tuple(passes)
    by_outputs: dict[bytes, Pass] = {}
    for each in passes:
        outputs = hashlib.sha256()
        for key in ids:
            output = each[key].output_hash if key in each else ""
            outputs.update(f"{output}\n".encode("utf-8", "surrogatepass"))
        by_outputs.setdefault(outputs.digest(), each)
    return tuple(by_outputs.values())


def earlier_passes(manifest: RunManifest) -> int:
    """Return how many passes of a run were made by earlier runs: its first ones."""
    return sum(each.passes for each in manifest.earlier)


def newest_run(run: Run) -> Run:
    """Return `run` without the passes of earlier runs; the numbers of its passes stay."""
    earlier = earlier_passes(run.manifest)
    return _passes_between(run, earlier, None) if earlier else run


def earlier_run(run: Run) -> Run:
    """Return the passes of earlier runs alone."""
    return _passes_between(run, 0, earlier_passes(run.manifest))


def deciding_run(run: Run) -> Run:
    """Return the passes that decide: all where the state is the same, else the newest run's."""
    return run if not run.manifest.earlier or is_same_state(run) else newest_run(run)


def asks_nothing_new(baseline: Run, run: Run) -> bool:
    """Return whether a run holds but the baseline's own answers to the baseline's own requests.

    A request that the baseline holds is not sent again, so such a run shows nothing of its day.
    """
    held = {
        (record.sample_id, record.output.request_hash, record.output_hash)
        for record in baseline.records
    }
    return all(
        record.output.request_hash is not None
        and (record.sample_id, record.output.request_hash, record.output_hash) in held
        for record in run.records
    )


def is_same_state(run: Run) -> bool:
    """Return whether all that the system reads is proven to be what it was in the earlier runs.

    Known of the system, or seen in the passes: every sample made the same recorded model requests
    and retrieved the same texts in each of them.
    """
    return run.manifest.same_state or _made_the_same_calls(run)


def _made_the_same_calls(run: Run) -> bool:
    calls: dict[str, tuple[str, str]] = {}
    for record in run.records:
        request = record.output.request_hash
        if request is None or not is_recorded(request) or request == _NO_CALLS:
            return False
        call = (request, record.retrieval_hash)
        if calls.setdefault(record.sample_id, call) != call:
            return False
    return bool(calls)


def _passes_between(run: Run, start: int, end: int | None) -> Run:
    """Return the passes numbered from `start` to before `end` as a run of their own."""
    from_row = bisect_left(run.records, start, key=lambda record: record.run)
    to_row = len(run.records)
    if end is not None:
        to_row = bisect_left(run.records, end, key=lambda record: record.run)
    records = LazyItems(range(from_row, to_row), run.records.__getitem__)
    aggregates = run.aggregates[start:end]
    passes = (run.manifest.runs if end is None else end) - start
    manifest = run.manifest.amended(runs=max(1, passes), identical=0, earlier=(), same_state=False)
    part = Run(manifest=manifest, records=records, aggregates=aggregates)
    identical = read_passes(part, list({record.sample_id: None for record in records})).identical
    return part.amended(manifest=manifest.amended(identical=identical))


def run_means(run: Run) -> dict[str, float]:
    """Return the mean of every metric over the samples, sorted by name.

    A sample counts once, with the mean of its passes: must-pass samples are asked more often.
    """
    of_samples: dict[str, dict[str, list[float]]] = {}
    of_runs = [("", scores) for scores in run.aggregates]
    for sample, scores in [*((each.sample_id, each.scores) for each in run.records), *of_runs]:
        for name, score in scores.items():
            if score.value is not None:
                of_samples.setdefault(name, {}).setdefault(sample, []).append(score.value)
    return {
        name: fmean(map(fmean, samples.values())) for name, samples in sorted(of_samples.items())
    }
