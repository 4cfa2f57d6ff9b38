"""Which samples repeat on both sides, and which of them the change made different.

Nobody declares it: systems of which it is known say so, of others the baseline's passes tell, each
of which had a session of its own.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from ragate.core.comparison.run_passes import PassPair, is_measured
from ragate.core.lookup import tells_outputs
from ragate.core.statistics.score_columns import Ints, Mask
from ragate.models import MetricInfo, Needs, Reads, Record, Run

PROOF = 3  # sessions that have to agree, of the baseline and of a sample that counts as changed
FEWEST = 20  # samples or clusters: of fewer every loss has to stand out from random signs
FEW = 4  # changed scores that need no test
TELLING = 5  # samples or clusters: of fewer no loss stands out, so that nothing could be red
UNPROVEN = "changed outputs were not asked often enough in sessions of their own"
MOST_BY_LUCK = 0.01  # samples, on average, that may look changed in a system that did not change
ERROR = 0.005  # how often few samples that flip may pass for changed ones
PARTS = (Reads.RETRIEVAL, Reads.ANSWER)


@dataclass(frozen=True)
class PartRepetition:
    """How one part of the outputs repeats, over the matched samples.

    Attributes:
        baseline, candidate: (samples,) True where the passes of that side differ.
        changed: (samples,) True where neither side varies, and the two differ.
        asked: (samples,) measured passes of the candidate.
        in_vain: (samples,) True where asking the candidate failed more than once.
    """

    baseline: Mask
    candidate: Mask
    changed: Mask
    asked: Ints
    in_vain: Mask

    @property
    def varies(self) -> Mask:
        """(samples,) True where either side varies: what no exact rule may judge."""
        return self.baseline | self.candidate

    @property
    def jitters(self) -> Mask:
        """(samples,) True where the candidate varies and the baseline does not."""
        return self.candidate & ~self.baseline


@dataclass(frozen=True)
class Repetition:
    """What repeats, part by part.

    Attributes:
        by_part: Empty where there is no baseline.
        exact: Parts that repeat, as both systems declare or the baseline's sessions show.
        evident: Those that only sessions show.
        passes: Passes of the baseline, those not stored (equal to another) included.
        units: Matched samples, or their clusters.
    """

    by_part: Mapping[Reads, PartRepetition]
    exact: frozenset[Reads] = frozenset()
    evident: frozenset[Reads] = frozenset()
    passes: int = 0
    units: int = 0

    def of(self, info: MetricInfo) -> PartRepetition | None:
        """Return how the input of a metric without noise of its own repeats, None for others.

        A judge and a vector of floating-point numbers carry noise beyond their input; what an
        answer takes is no part of the bytes that are compared.
        """
        if info.needs is not Needs.NOTHING or info.aggregate or info.is_expense:
            return None
        return self.by_part.get(info.reads)

    def varying(self, info: MetricInfo) -> Mask | None:
        """Return the samples that the exact rule leaves out of a metric, None where it judges none.

        It judges what is borne out by two baseline passes or more.
        """
        repetition = self.of(info)
        if repetition is None or info.reads not in self.exact or self.passes < 2:
            return None
        kept = is_kept(repetition.baseline, self.passes)
        return repetition.varies if kept else None

    def few(self, reads: Reads) -> int:
        """Return how many changed scores need no test."""
        return 0 if reads in self.evident and self.units < FEWEST else FEW

    def needed(self, reads: Reads, changed: int) -> int:
        """Return in how many passes so many samples with another score have to be equal."""
        if reads not in self.evident:
            return 0  # the systems declare it
        if changed > self.few(reads):
            return PROOF
        return askings(int(self.by_part[reads].baseline.sum()))


def is_kept(varies: Mask, passes: int) -> bool:
    """Whether samples that vary are few enough for others to be taken as repeating.

    A sample that flips with a chance of f a pass looks changed where all candidate passes flipped,
    with a chance of f to the power of `PROOF`. The baseline tells f: of K passes of a sample one
    differs with a chance of about K f.
    """
    if not len(varies):
        return False
    return len(varies) * (float(varies.mean()) / passes) ** PROOF <= MOST_BY_LUCK


@lru_cache(maxsize=64)
def askings(varying: int) -> int:
    """Return how often few changed samples are asked: flips in few questions seldom agree so often.

    Args:
        varying: Questions that vary in the baseline; half a one more is taken to flip unseen.
    """
    f = np.linspace(0.001, 0.999, 999)
    unseen = 1 - f**PROOF - (1 - f) ** PROOF
    m = PROOF
    while True:
        alike = (f**m * (1 - f) ** PROOF + (1 - f) ** m * f**PROOF) / unseen
        if (varying + 0.5) * float(alike.max()) / 2 <= ERROR:
            return m
        m += 1


def evident_parts(baseline: Run | None) -> frozenset[Reads]:
    """Return what a baseline's passes show to repeat, each of which had a session of its own."""
    if baseline is None or not baseline.manifest.own_sessions or baseline.manifest.runs < PROOF:
        return frozenset()
    parts = []
    for reads in PARTS:
        seen: dict[str, set[str]] = defaultdict(set)
        for record in _measured(baseline.records):
            seen[record.sample_id].add(_hash(record, reads))
        varies = np.array([len(hashes) > 1 for hashes in seen.values()], dtype=bool)
        if is_kept(varies, baseline.manifest.runs):
            parts.append(reads)
    return frozenset(parts)


def read_repetition(
    baseline: Run | None, candidate: Run, passes: PassPair, *, clusters: Ints | None = None
) -> Repetition:
    """Compare every pass of every sample, extra tries included, byte for byte.

    Exactness belongs to the pair: one side that may vary says nothing about the other. A pass
    that a provider failed measured nothing, and is left out.

    Args:
        clusters: (samples,) number of each sample's cluster.
    """
    if baseline is None:
        return Repetition({})
    systems = [run.manifest.system.deterministic for run in (baseline, candidate)]
    declared = frozenset(reads for reads in PARTS if all(reads in each for each in systems))
    units = len(passes.ids if clusters is None else np.unique(clusters))
    has_sessions = candidate.manifest.own_sessions and units >= TELLING
    shown = evident_parts(baseline) if has_sessions else frozenset()
    if candidate.manifest.retrieval_only:  # nothing was answered
        shown &= {Reads.RETRIEVAL}
    told = bool(declared or shown) or tells_outputs(candidate.records)
    return Repetition(
        _compared_by_part(passes, told=told),
        declared | shown,
        shown - declared,
        passes.baseline.repeats,
        units,
    )


def _compared_by_part(passes: PassPair, *, told: bool) -> dict[Reads, PartRepetition]:
    """Compare every pass of every sample by part; nothing varies where outputs tell nothing."""
    masks = {reads: np.zeros((3, len(passes.ids)), bool) for reads in PARTS}
    asked = np.zeros(len(passes.ids), np.intp)
    in_vain = np.zeros(len(passes.ids), bool)
    for row, key in enumerate(passes.ids if told else ()):
        before = _measured(passes.baseline.tries.get(key, ()))
        tries = passes.candidate.tries.get(key, ())
        after = _measured(tries)
        asked[row] = len(after)
        in_vain[row] = len(tries) - len(after) > 1
        for reads in PARTS:
            old, new = ({_hash(record, reads) for record in side} for side in (before, after))
            changed = len(old) == len(new) == 1 and old != new
            masks[reads][:, row] = len(old) > 1, len(new) > 1, changed
    return {
        reads: PartRepetition(before_varies, after_varies, changed, asked, in_vain)
        for reads, (before_varies, after_varies, changed) in masks.items()
    }


def _hash(record: Record, reads: Reads) -> str:
    return record.retrieval_hash if reads is Reads.RETRIEVAL else record.output_hash


def _measured(records: Sequence[Record]) -> list[Record]:
    return [record for record in records if is_measured(record.output)]
