"""The passes of a run, and of two, over the samples: which are whole, which equal another."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ragate.core.lookup import Pass, SampleTries, passes_of
from ragate.models import Record, Run, SystemOutput


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
    before, after = read_passes(baseline, matched), read_passes(candidate, [*matched, *added])
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
