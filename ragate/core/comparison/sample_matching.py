"""Which samples of now stand for which of the baseline: by id and content, never by place."""

import sys
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter

import numpy as np
import numpy.typing as npt

from ragate.core.hashing import content_hash
from ragate.models import DataChanges, Record, RemovedSample, Run, Sample

ENOUGH = 0.8


@dataclass(frozen=True)
class Matching:
    """Which samples of now stand for which of the baseline.

    Attributes:
        ids: Matched samples, sorted, so that the golden set's order changes nothing.
        added: Selected samples without a partner.
        data: Samples matched, added, removed and edited.
    """

    ids: tuple[str, ...]
    added: tuple[str, ...]
    data: DataChanges

    @property
    def enough(self) -> bool:
        """Whether at least 80 % of the selected baseline samples are still there."""
        return len(self.ids) > 0 and len(self.ids) >= ENOUGH * self.data.selected - 1e-9


def match(
    baseline: Run | None, candidate: Run, samples: Mapping[str, Sample], *, partial: bool
) -> Matching:
    """Match `samples` with the baseline's.

    What a sample was when the candidate ran is what counts, so that stored runs compare although
    the golden set has moved on.

    Args:
        partial: True for a filtered run: baseline samples outside the filter are not removed.
    """
    ran = contents(candidate.records)
    beside = baseline.records if baseline else ()
    recorded = ran if beside is candidate.records else contents(beside)
    now = {key: ran[key] if key in ran else content_hash(samples[key]) for key in samples}
    renamed = renamed_ids(recorded, now)
    recorded = {renamed.get(key, key): content for key, content in recorded.items()}
    unchanged = {key: recorded.get(key) == content for key, content in now.items()}
    selected = [key for key in recorded if key in unchanged or not partial]
    matched = tuple(sorted(key for key in selected if unchanged.get(key)))
    gone = [key for key in selected if not unchanged.get(key)]
    added = tuple(sorted(unchanged.keys() - set(matched)))
    means = _means(baseline.records, gone) if baseline and gone else {}
    data = DataChanges(
        matched=len(matched),
        selected=len(selected),
        added=added if baseline else (),
        removed=tuple(RemovedSample(sample_id=key, means=means[key]) for key in sorted(gone)),
        edited=tuple(sorted(key for key in gone if key in unchanged)),
        renamed=renamed,
    )
    return Matching(matched, added, data)


def renamed_ids(before: Mapping[str, str], now: Mapping[str, str]) -> dict[str, str]:
    """Return by old id the new one of each sample that has the same content under another id.

    Of as many with one content on both sides any two belong together; else none is known.

    Args:
        before: Content by id, as it was. now: As it is.
    """
    old_ids = _by_content((key, content) for key, content in before.items() if key not in now)
    new_ids = _by_content((key, content) for key, content in now.items() if key not in before)
    return {
        before_id: now_id
        for content, old in sorted(old_ids.items(), key=itemgetter(1))
        if len(old) == len(new_ids.get(content, ()))
        for before_id, now_id in zip(old, new_ids[content], strict=True)
    }


def _by_content(samples: Iterable[tuple[str, str]]) -> dict[str, list[str]]:
    ids: defaultdict[str, list[str]] = defaultdict(list)
    for key, content in samples:
        ids[content].append(key)
    return ids


def with_new_ids(run: Run, renamed: Mapping[str, str]) -> Run:
    """Return the run with the ids that its samples have today."""
    if not renamed:
        return run
    records = (
        record.amended(sample_id=renamed.get(record.sample_id, record.sample_id))
        for record in run.records
    )
    return run.amended(records=list(records))


def as_named_today(baseline: Run, run: Run) -> Run:
    """Return the baseline with the ids that its samples have in a run.

    As it is beside a filtered run: what that leaves out has no other name for it.
    """
    if run.manifest.filters.narrows:
        return baseline
    return with_new_ids(baseline, renamed_ids(contents(baseline.records), contents(run.records)))


def contents(records: Iterable[Record]) -> dict[str, str]:
    """Return by id of a sample the hash of its content when it was run."""
    hashes: dict[str, str] = {}
    for record in records:
        hashes.setdefault(sys.intern(record.sample_id), record.content_hash)
    return hashes


def _means(records: Sequence[Record], ids: Sequence[str]) -> dict[str, dict[str, float]]:
    values: dict[str, dict[str, list[float]]] = {key: defaultdict(list) for key in ids}
    for record in records:
        if record.sample_id in values:
            for name, score in record.scores.items():
                if score.value is not None:
                    values[record.sample_id][name].append(score.value)
    return {
        key: {name: sum(scores) / len(scores) for name, scores in sorted(by_metric.items())}
        for key, by_metric in values.items()
    }


def cluster_numbers(
    samples: Mapping[str, Sample], ids: Sequence[str], cluster: str
) -> npt.NDArray[np.intp] | None:
    """Number the clusters of `ids`, or return None where no sample names one.

    A cluster is the value of the metadata field `cluster`, or of a tag ``cluster:value``; a
    sample without either is a cluster of its own.
    """
    if not cluster:
        return None
    names = [cluster_name(samples[key], cluster) for key in ids]
    if not any(names):
        return None
    labels = [f"v{name}" if name else f"i{key}" for name, key in zip(names, ids, strict=True)]
    return np.unique(np.array(labels), return_inverse=True)[1].astype(np.intp).ravel()


def cluster_name(sample: Sample, cluster: str) -> str:
    """Return the cluster that a sample names, "" where it names none; as in `cluster_numbers`."""
    value = sample.metadata.get(cluster)
    if value is not None:
        return str(value)
    for tag in sample.tags:
        if tag.startswith(f"{cluster}:"):
            return tag
    return ""
