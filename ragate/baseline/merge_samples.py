"""The samples of two baselines, three-way, and which metrics their scores may be taken of.

A metric with a table scores every sample by the golden set that the table was fitted on: with one
question more every score of it is another. So such scores are no change of a sample, and are kept
only where they are all of one golden set, the merged one.
"""

from collections.abc import Mapping
from typing import Any

from ragate.support.strict_json import canonical

Table = Mapping[str, Any]


class MergedSamples:
    """The samples of both sides, three-way.

    Attributes:
        samples: What is taken, in order of id.
        neither: What both changed, each otherwise.
        ours, theirs: Number of samples that only this side changed.
        states: Tables of metrics that fit the samples.
        unmeasured: Metrics that are left out, since no side's table was fitted on the merged golden
            set and scored all that is taken.
        side: The side that all samples are of, with its golden set; None where there is none.
    """

    side: Table | None
    states: dict[str, Any]
    unmeasured: tuple[str, ...]

    def __init__(self, before: Table, ours: Table, theirs: Table) -> None:
        self.samples: dict[str, Any] = {}
        self.neither: list[str] = []
        self.ours = self.theirs = 0
        tabled = frozenset[str]().union(
            *(side.get("states", {}) for side in (before, ours, theirs))
        )
        sides = [side.get("samples", {}) for side in (before, ours, theirs)]
        for key in sorted(set().union(*sides)):
            whole = [side.get(key) for side in sides]
            old, a, b = (_without(sample, tabled) for sample in whole)
            if a != b and a != old and b != old:
                self.neither.append(key)
                continue
            self.ours += a not in (b, old)
            self.theirs += b not in (a, old)
            taken = whole[2] if a == old else whole[1]
            if taken is not None:
                self.samples[key] = taken
        self._settle_tables(ours, theirs, golden=_golden_set(*sides))

    def _settle_tables(self, ours: Table, theirs: Table, *, golden: dict[str, str] | None) -> None:
        """Keep the tables that were fitted on the merged golden set, if all scores are of them."""
        names = frozenset({*_tabled(ours), *_tabled(theirs)})
        fitting = [side for side in (ours, theirs) if _contents(side["samples"]) == golden]
        whole = [side for side in fitting if self._all_of(side["samples"], names)]
        self.side = min(whole, key=_head_of, default=None)
        if self.side is not None:
            self.samples = {key: self.side["samples"][key] for key in self.samples}
            self.states, self.unmeasured = dict(self.side.get("states", {})), left_out(self.side)
        elif len(fitting) == 2 and _tables(ours) == _tables(theirs):
            self.states, self.unmeasured = dict(ours.get("states", {})), left_out(ours)
        else:
            self.states, self.unmeasured = {}, tuple(sorted(names))
            self.samples = {key: _without(one, names) for key, one in self.samples.items()}

    def _all_of(self, side: Table, names: frozenset[str]) -> bool:
        """Whether all that is taken is this side's, scores of these metrics apart."""
        return all(
            key in side and _without(side[key], names) == _without(one, names)
            for key, one in self.samples.items()
        )


def _head_of(side: Table) -> tuple[tuple[str, ...], str]:
    """Return what sides of equal samples are told apart by, the one that measured most first."""
    return left_out(side), canonical([side["recorded"], side.get("aggregates", [])])


def _tables(side: Table) -> tuple[Table, tuple[str, ...]]:
    return side.get("states", {}), left_out(side)


def left_out(side: Table) -> tuple[str, ...]:
    """Return the metrics that an earlier merge left out."""
    return tuple(side.get("merged", {}).get("unmeasured", ()))


def _tabled(side: Table) -> tuple[str, ...]:
    return (*side.get("states", {}), *left_out(side))


def _without(sample: Any, names: frozenset[str]) -> Any:
    """Return a sample without its scores of these metrics."""
    if sample is None or not names:
        return sample
    outputs = [_bare(output, names) for output in sample["outputs"]]
    return {**sample, "outputs": outputs}


def _bare(output: Table, names: frozenset[str]) -> Table:
    scores = output.get("scores", {})
    if names.isdisjoint(scores):
        return output
    return {**output, "scores": {key: score for key, score in scores.items() if key not in names}}


def _contents(samples: Table) -> dict[str, str]:
    return {key: sample["hash"] for key, sample in samples.items()}


def _golden_set(before: Table, ours: Table, theirs: Table) -> dict[str, str] | None:
    """Return the content hash of every sample of the merged golden set.

    None where both sides changed one sample's content, each otherwise: who merged the golden set
    knows which it is, and the baselines do not.
    """
    old, a, b = map(_contents, (before, ours, theirs))
    merged: dict[str, str] = {}
    for key in {*a, *b}:
        sides = old.get(key), a.get(key), b.get(key)
        if sides[1] != sides[2] and sides[0] not in sides[1:]:
            return None
        content = sides[2] if sides[1] == sides[0] else sides[1]
        if content is not None:
            merged[key] = content
    return merged
