"""Which samples repeat on both sides, and which of them the change made different."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ragate.core.comparison.run_passes import PassPair, is_measured
from ragate.core.statistics.score_columns import Ints, Mask
from ragate.models import MetricInfo, Needs, Reads, Record, Run, SystemOutput

PROOF = 3  # sessions that have to agree, of the baseline and of a sample that counts as changed
FEWEST = 20  # samples: fewer hide a flip rate at which single losses are luck
UNPROVEN = f"changed answers were not asked in {PROOF} sessions of their own"
RECORDINGS = "recorded outputs do not tell of the sessions that they come from"
MOST_BY_LUCK = 0.01  # samples, on average, that may look changed in a system that did not change
PARTS = (Reads.RETRIEVAL, Reads.ANSWER)


@dataclass(frozen=True)
class PartRepetition:
    """How one part of the outputs repeats, over the matched samples.

    Attributes:
        baseline, candidate: (samples,) True where the passes of that side differ.
        changed: (samples,) True where neither side varies, and the two differ.
        unproven: (samples,) True where `changed` rests on fewer candidate sessions than `PROOF`,
            and only the policy declares that the part repeats.
    """

    baseline: Mask
    candidate: Mask
    changed: Mask
    unproven: Mask

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
        exact: Parts declared to repeat, by both systems or by the policy.
        policy: Those that the policy alone declares: nobody has seen the system's code.
        passes: Passes of the baseline, those not stored (equal to another) included.
        units: Matched samples, or their clusters.
        own_sessions: Each of them had a session of its own.
        recordings: The system holds recorded outputs, which do not tell how they came about.
    """

    by_part: Mapping[Reads, PartRepetition]
    exact: frozenset[Reads] = frozenset()
    policy: frozenset[Reads] = frozenset()
    passes: int = 0
    units: int = 0
    own_sessions: bool = False
    recordings: bool = False

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

        It judges what is declared, and borne out by two baseline passes or more.
        """
        repetition = self.of(info)
        if repetition is None or info.reads not in self.exact or not self.is_kept(info.reads):
            return None
        return repetition.varies

    def is_kept(self, reads: Reads) -> bool:
        """Whether two baseline passes or more bear out that a part repeats.

        A sample that flips with a chance of f a pass looks changed where all candidate passes
        flipped, with a chance of f to the power of `PROOF`. The baseline tells f: of K passes of a
        sample one differs with a chance of about K f.

        Of recorded outputs all have to be equal, in enough questions: what their passes say of
        noise is better evidence than a declaration that nothing proves.
        """
        part = self.by_part[reads]
        if self.passes < 2 or not len(part.baseline):
            return False
        if self.recordings and reads in self.policy:
            return self.units >= FEWEST and not part.varies.any()
        flips = float(part.baseline.mean()) / self.passes
        return len(part.baseline) * flips**PROOF <= MOST_BY_LUCK

    def could_be_exact(self, info: MetricInfo) -> bool:
        """Whether declaring a metric's input would be kept: all passes of each side are equal."""
        repetition = self.of(info)
        if repetition is None or info.reads in self.exact or self.passes < 2:
            return False
        return not (self.recordings or len(repetition.varies) < FEWEST or repetition.varies.any())

    @property
    def unseen(self) -> str:
        """Why the baseline does not show what repeats, "" where it does."""
        if self.recordings or (self.passes >= PROOF and self.own_sessions):
            return ""
        return f"the baseline does not hold {PROOF} passes that were each a session of their own"

    def doubt(self, reads: Reads) -> str:
        """Return why a declared part is provisional, "" where at most `unproven` samples are."""
        if reads not in self.policy:
            return ""
        if len(self.by_part[reads].varies) < FEWEST:
            return f"fewer than {FEWEST} questions do not show what repeats"
        return RECORDINGS if self.recordings else self.unseen


def declared_parts(policy: Collection[str]) -> frozenset[Reads]:
    """Return what ``[policy] repeats`` declares; an answer includes what was retrieved for it."""
    return frozenset(PARTS if "answer" in policy else [reads for reads in PARTS if reads in policy])


def read_repetition(
    baseline: Run | None,
    candidate: Run,
    passes: PassPair,
    *,
    policy: Collection[str] = (),
    clusters: Ints | None = None,
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
    by_systems = frozenset(reads for reads in PARTS if all(reads in each for each in systems))
    by_policy = declared_parts(policy)
    if candidate.manifest.retrieval_only:  # nothing was answered
        by_policy &= {Reads.RETRIEVAL}
    needed = PROOF if candidate.manifest.own_sessions else len(candidate.records) + 1
    masks = {reads: np.zeros((4, len(passes.ids)), bool) for reads in PARTS}
    for row, key in enumerate(passes.ids):
        before = _measured(passes.baseline.tries.get(key, ()))
        after = _measured(passes.candidate.tries.get(key, ()))
        for reads in PARTS:
            old, new = ({_hash(record, reads) for record in side} for side in (before, after))
            changed = len(old) == len(new) == 1 and old != new
            unproven = changed and reads not in by_systems and len(after) < needed
            masks[reads][:, row] = len(old) > 1, len(new) > 1, changed, unproven
    by_part = {reads: PartRepetition(*rows) for reads, rows in masks.items()}
    made, apart = passes.baseline.repeats, baseline.manifest.own_sessions
    return Repetition(
        by_part,
        by_systems | by_policy,
        by_policy - by_systems,
        made,
        len(passes.ids if clusters is None else np.unique(clusters)),
        apart,
        recordings=candidate.manifest.recorded > 0,
    )


def is_changed(
    before: Sequence[Record],
    after: SystemOutput,
    hashes: tuple[str, str],
    parts: Collection[Reads],
) -> bool:
    """Return True where an output differs, in one of `parts`, from a baseline that repeats.

    Args:
        before: The sample's records of the baseline.
        hashes: Retrieval and output hash of `after`.
    """
    if not is_measured(after):
        return False
    measured = _measured(before)
    for reads, new in zip(PARTS, hashes, strict=True):
        old = {_hash(record, reads) for record in measured}
        if reads in parts and len(old) == 1 and new not in old:
            return True
    return False


def _hash(record: Record, reads: Reads) -> str:
    return record.retrieval_hash if reads is Reads.RETRIEVAL else record.output_hash


def _measured(records: Sequence[Record]) -> list[Record]:
    return [record for record in records if is_measured(record.output)]
