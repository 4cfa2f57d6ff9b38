"""What slices cost the whole set and what they see, on simulated pull requests of known truth.

    python benchmarks/slices.py [--draws 600] [--output FILE]

Six metrics, n = 200, ten slices of 30 questions each (drawn at random, so that they overlap), one
metric a slice, alpha .02, three baseline passes, confirm 2, decided for fresh questions. Red of the
shipped rule (a quarter of alpha for the slices, which ask for confirmation at .05), of the same
with confirmation at .2 as over the whole set, of a gate without slices, and of one that tests
metrics and slices in one family; and the candidate passes that each takes. The last table has
floors of 20 slices: as points, and by evidence at alpha / 20. 95 % Wilson intervals; fixed seeds.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import numpy.typing as npt

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.gate_model import Simulated
from benchmarks.shares import print_lines, share
from ragate.core.rules.slice_cases import LEAST_LOST, SHARE
from ragate.core.statistics.interval import mean_bound
from ragate.core.statistics.looks import SUSPICIOUS, SUSPICIOUS_SLICES, confirmed_level, fast_level
from ragate.core.statistics.permutation import flip, step_down

Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
ALPHA, N, SLICES, SIZE = 0.02, 200, 10, 30
ALLOWED = 0.01
DRAWS = 4_999
RULES = ("slices", "slices at .2", "no slices", "one family")
LOSS = 0.4


@dataclass
class Tally:
    """Red verdicts and passes of one truth, by rule.

    Attributes:
        by_slice: Red by a slice alone, under the shipped rule.
    """

    red: dict[str, list[bool]] = field(default_factory=lambda: {rule: [] for rule in RULES})
    passes: dict[str, list[int]] = field(default_factory=lambda: {rule: [] for rule in RULES})
    by_slice: list[bool] = field(default_factory=list)


@dataclass(frozen=True)
class Look:
    """The tests of one look at one candidate.

    Attributes:
        p: Adjusted, by family: ``all``, ``slices``, ``one`` (both in one).
        large: Whether each drop is at least the allowed one, by family.
    """

    p: dict[str, Floats]
    large: dict[str, Mask]

    def red(self, family: str, level: float) -> bool:
        """Return whether anything of a family is red at a level."""
        return bool(((self.p[family] <= level) & self.large[family]).any())

    def suspicious(self, family: str, level: float) -> bool:
        """Return whether a family asks for confirmation."""
        return float(self.p[family].min()) <= level


def look_at(scores: Floats, members: Mask, runs: int, seed: int) -> Look:
    """Return the tests on three baseline runs and `runs` of the candidate.

    Args:
        scores: (samples, runs, metrics).
        members: (slices, samples).
    """
    change = scores[:, 3 : 3 + runs].mean(axis=1) - scores[:, :3].mean(axis=1)
    parts = change[:, :1] * members.T
    drops = -change.mean(axis=0)
    part_drops = -parts.sum(axis=0) / members.sum(axis=1)
    least = np.maximum(ALLOWED, LEAST_LOST / members.sum(axis=1))
    columns = {"all": change, "slices": parts, "one": np.hstack([change, parts])}
    large_all, large_parts = drops >= ALLOWED - 1e-9, part_drops >= least - 1e-9
    return Look(
        {name: step_down(flip(each, seed=seed, draws=DRAWS)) for name, each in columns.items()},
        {
            "all": large_all,
            "slices": large_parts,
            "one": np.concatenate([large_all, large_parts]),
        },
    )


def shares_of(rule: str) -> dict[str, float]:
    """Return the alpha of each family that a rule tests."""
    if rule.startswith("slices"):
        return {"all": (1 - SHARE) * ALPHA, "slices": SHARE * ALPHA}
    return {"all": ALPHA} if rule == "no slices" else {"one": ALPHA}


def decide(first: Look, last: Look, rule: str) -> tuple[bool, int]:
    """Return whether a candidate is red, and how many passes that took."""
    shares = shares_of(rule)
    if any(first.red(family, fast_level(alpha)) for family, alpha in shares.items()):
        return True, 1
    of_slices = SUSPICIOUS_SLICES if rule == "slices" else SUSPICIOUS
    levels = {family: of_slices if family == "slices" else SUSPICIOUS for family in shares}
    if not any(first.suspicious(family, level) for family, level in levels.items()):
        return False, 1
    red = any(last.red(family, confirmed_level(alpha)) for family, alpha in shares.items())
    return red, 3


def members_of(rng: np.random.Generator) -> Mask:
    """Return (slices, samples): who is in each of the slices."""
    members = np.zeros((SLICES, N), dtype=bool)
    for each in members:
        each[rng.choice(N, SIZE, replace=False)] = True
    return members


def tally(name: str, draws: int, seed: int) -> Tally:
    """Play and decide so many pull requests of one truth."""
    rng, found = np.random.default_rng(seed), Tally()
    system = Simulated()
    broken = 0.05 / system.rate if name == "one metric -.05" else 0.0
    rewritten = 0.3 if name.startswith("rewrite") else 0.0
    for number in range(draws):
        scores = system.draw(rng, N, rewritten=rewritten, broken=broken)
        members = members_of(rng)
        if name == "one slice -40 %":
            lost = rng.choice(np.flatnonzero(members[0]), round(LOSS * SIZE), replace=False)
            scores[lost, 3:, 0] = 0.0
        first, last = (look_at(scores, members, runs, seed=number) for runs in (1, 3))
        for rule in RULES:
            red, passes = decide(first, last, rule)
            found.red[rule].append(red)
            found.passes[rule].append(passes)
        found.by_slice.append(
            found.red["slices"][-1]
            and not first.red("all", fast_level((1 - SHARE) * ALPHA))
            and not last.red("all", confirmed_level((1 - SHARE) * ALPHA))
        )
    return found


def table(draws: int) -> Iterator[str]:
    """Yield one line a truth."""
    yield f"n {N}, six metrics, {SLICES} slices of {SIZE}, alpha {ALPHA}; {draws} draws a row"
    head = "".join(f"{'red, ' + rule:<24}" for rule in RULES)
    yield f"{'truth':<17}{head}{'by a slice alone':<18}{'passes: ' + ', '.join(RULES)}"
    names = ("no-op", "rewrite of 30 %", "one metric -.05", "one slice -40 %")
    for seed, name in enumerate(names):
        found = tally(name, draws, seed)
        reds = "".join(f"{share(np.array(found.red[rule])):<24}" for rule in RULES)
        passes = ", ".join(f"{np.mean(found.passes[rule]):.2f}" for rule in RULES)
        yield f"{name:<17}{reds}{np.mean(found.by_slice):<18.3f}{passes}"


def floors(draws: int) -> Iterator[str]:
    """Yield how often floors of .80 on 20 slices of 30, all truly at .85, are missed somewhere."""
    rng = np.random.default_rng(20)
    means = rng.random((draws, 20, 30)) < 0.85
    point = (means.mean(axis=2) < 0.8).any(axis=1)
    bounds = {
        passed: mean_bound(
            np.repeat([1.0, 0.0], [passed, 30 - passed]), ALPHA / 20, upper=True, binary=True
        )
        for passed in range(31)
    }
    evidence = np.vectorize(bounds.get)(means.sum(axis=2)) < 0.8
    yield ""
    yield f"floor .80 on 20 slices of 30, truth .85; {draws} draws"
    yield f"point floors: red somewhere in {share(point)}"
    yield f"by evidence at alpha / 20: {share(evidence.any(axis=1))}"


def main() -> None:
    """Print the tables, and write them to a file where asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--draws", type=int, default=600)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    started = time.monotonic()
    print_lines([*table(options.draws), *floors(20_000)], options.output)
    print(f"{time.monotonic() - started:.0f} s")


if __name__ == "__main__":
    main()
