"""Exact tests by relabelling runs or flipping signs, for all metrics of a family at once."""

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from ragate.core.statistics.score_columns import SLACK, Floats

DRAWS = 9_999
ENUMERATE = 20_000  # relabellings, at most, that are all tried instead of drawn
TABLE = 20_000  # relabellings of one unit, at most, that are tabulated
NO_NOISE = 1e-12
COINS = 10_000  # units, at most, whose sign is drawn for each alone
_CELLS = 1_000_000  # numbers in one block of tables or draws
# (256, 8): how eight coins fell, by the number of which they are the bits, the lowest first.
_EIGHT_COINS = np.unpackbits(
    np.arange(256, dtype=np.uint8)[:, None], axis=1, bitorder="little"
).astype(np.float64)


@dataclass(frozen=True)
class Block:
    """Units (samples or clusters) with equally many runs.

    Attributes:
        values: (units, runs, metrics): the baseline's runs first, all higher-is-better.
        k: Number of candidate runs: the last ones.
    """

    values: Floats
    k: int

    @property
    def base(self) -> int:
        return int(self.values.shape[1]) - self.k

    @property
    def differences(self) -> Floats:
        """(units, metrics) candidate mean minus baseline mean."""
        before, after = self.values[:, : self.base], self.values[:, self.base :]
        return np.asarray(after.mean(axis=1) - before.mean(axis=1), dtype=np.float64)

    @property
    def variance(self) -> Floats:
        """(metrics,) variance of the sum of the differences when the labels mean nothing."""
        runs = self.base + self.k
        of_runs = self.values.var(axis=1, ddof=1).sum(axis=0)
        return np.asarray(of_runs * runs / (self.base * self.k), dtype=np.float64)


@dataclass(frozen=True)
class Null:
    """An observed statistic and what it is when the labels mean nothing.

    Attributes:
        z: (metrics,) observed; negative where the candidate is worse.
        stars: (relabellings, metrics).
        noisy: (metrics,) False where no relabelling could change anything.
        enumerated: True where `stars` holds every relabelling, the observed one included.
        mid: True where ties count half.
    """

    z: Floats
    stars: Floats
    noisy: npt.NDArray[np.bool_]
    enumerated: bool
    mid: bool


def relabel(blocks: Sequence[Block], *, seed: int, draws: int = DRAWS) -> Null:
    """Draw at random, unit by unit, which runs are called the candidate.

    Exact when the runs of a unit are exchangeable, for any score and any correlation.
    """
    mid = all(block.base + block.k == 2 for block in blocks)
    total = sum(block.differences.sum(axis=0) for block in blocks)
    variance = sum(block.variance for block in blocks)
    tables = [table for block in blocks for table in _tables(_moving(block))]
    return _null(np.asarray(total), np.asarray(variance), tables, seed, draws, mid=mid)


def flip(differences: Floats, *, seed: int, draws: int = DRAWS) -> Null:
    """Flip the signs of whole units' differences (units, metrics) at random."""
    moving = differences[(np.abs(differences) > NO_NOISE).any(axis=1)]
    tables = [np.stack([moving, -moving], axis=1)] if len(moving) else []
    variance = (differences**2).sum(axis=0)
    return _null(differences.sum(axis=0), variance, tables, seed, draws, mid=True)


def step_down(null: Null, *, upwards: bool = False) -> Floats:
    """Return Westfall and Young's step-down adjusted p of every metric, one-sided.

    Args:
        upwards: Test for a rise instead of a drop.
    """
    sign = -1.0 if upwards else 1.0
    p = np.ones(len(null.z))
    active = np.flatnonzero(null.noisy)
    order = active[np.argsort(sign * null.z[active], kind="stable")]
    stars = sign * null.stars[:, order]
    # By metric, the least of its own and of all that come after it.
    least = np.minimum.accumulate(stars[:, ::-1], axis=1)[:, ::-1]
    largest = 0.0
    for column, metric in enumerate(order):
        observed = sign * float(null.z[metric])
        largest = max(largest, _share(null, least[:, column], observed))
        p[metric] = min(largest, 1.0)
    return p


def _share(null: Null, stars: Floats, z: float) -> float:
    """Return the share of relabellings at or below `z`, the observed one among them.

    Ties count half where `null.mid` says so.
    """
    weight_of_tie = 0.5 if null.mid else 1.0
    below = int((stars < z - SLACK).sum())
    equal = int((stars <= z + SLACK).sum()) - below
    count = below + weight_of_tie * equal
    if null.enumerated:
        return count / len(stars)
    return (count + weight_of_tie) / (len(stars) + 1)


def _moving(block: Block) -> Block:
    """Leave out units whose runs are all equal: no relabelling changes them."""
    spread = np.ptp(block.values, axis=1).max(axis=1, initial=0.0)
    return Block(block.values[spread > NO_NOISE], block.k)


@lru_cache(maxsize=64)
def _choices(runs: int, k: int) -> npt.NDArray[np.intp]:
    """Return which runs each relabelling calls the candidate (relabellings, k)."""
    if math.comb(runs, k) <= TABLE:
        return np.array(list(itertools.combinations(range(runs), k)), dtype=np.intp)
    # Too many to list: the rotations of one fixed shuffled order are a group, so the test that
    # draws from them alone is as exact.
    order = np.argsort(np.random.PCG64(0).random_raw(runs), kind="stable")
    candidates = np.flatnonzero(order >= runs - k)
    rotations = order[(candidates[None, :] + np.arange(runs)[:, None]) % runs]
    return np.asarray(rotations, dtype=np.intp)


def _tables(block: Block) -> Iterator[Floats]:
    """Yield (units, relabellings, metrics): each unit's difference under each relabelling."""
    units, runs, metrics = block.values.shape
    if not units:
        return
    choices = _choices(runs, block.k)
    at_once = max(1, _CELLS // (len(choices) * block.k * metrics))
    for start in range(0, units, at_once):
        values = block.values[start : start + at_once]
        total = values.sum(axis=1)[:, None, :]
        chosen = values[:, choices].sum(axis=2)
        yield chosen / block.k - (total - chosen) / block.base


def _null(
    total: Floats, variance: Floats, tables: Sequence[Floats], seed: int, draws: int, *, mid: bool
) -> Null:
    noisy = variance >= NO_NOISE
    scale = np.sqrt(np.where(noisy, variance, np.inf))
    relabellings = math.prod(table.shape[1] ** len(table) for table in tables)
    enumerated = relabellings <= ENUMERATE
    stars = _all(tables, len(total)) if enumerated else _drawn(tables, len(total), seed, draws)
    return Null(total / scale, stars / scale, noisy, enumerated, mid)


def _all(tables: Sequence[Floats], metrics: int) -> Floats:
    """Sum the entries of all units in every combination (combinations, metrics)."""
    sums = np.zeros((1, metrics))
    for table in tables:
        for unit in table:
            sums = (sums[:, None, :] + unit[None, :, :]).reshape(-1, metrics)
    return sums


def _drawn(tables: Sequence[Floats], metrics: int, seed: int, draws: int) -> Floats:
    """Sum one random entry of every unit's table (draws, metrics), in blocks of units."""
    bits = np.random.PCG64(seed)
    sums = np.zeros((draws, metrics))
    at_once = max(1, _CELLS // draws)
    for table in map(_folded, tables):
        for start in range(0, len(table), at_once):
            units = table[start : start + at_once]
            if units.shape[1] == 2:
                _add_coins(sums, units, _coins(bits, len(units), draws))
            else:
                # Under a name it lives until the next is made: freed at once, its memory would go
                # back to the system each time, which takes half as long again.
                picks = _picks(bits, len(units) * draws, units.shape[1])
                _add_picks(sums, units, picks)
    return sums


def _folded(table: Floats) -> Floats:
    """Return a table of very many coins (units, 2, metrics) with one coin for several units.

    Signs that are drawn for whole groups are a group of relabellings as well, so the test is as
    exact; it would be weaker only where there are few groups.
    """
    units, choices, metrics = table.shape
    if choices != 2 or units <= COINS:
        return table
    order = np.argsort(np.random.PCG64(0).random_raw(units), kind="stable")
    folded = np.zeros((COINS, choices, metrics))
    np.add.at(folded, np.arange(units) % COINS, table[order])
    return folded


def _coins(bits: np.random.PCG64, units: int, draws: int) -> npt.NDArray[np.uint8]:
    """Return a random 0 or 1 for each unit and draw."""
    count = units * draws
    words = (count + 63) // 64
    raw = bits.random_raw(words).view(np.uint8)
    return np.unpackbits(raw, count=count).reshape(units, draws)


def _add_coins(sums: Floats, units: Floats, coins: npt.NDArray[np.uint8]) -> None:
    """Add one of each unit's two entries (units, 2, metrics), as its coins (units, draws) say.

    Eight coins are one index into the sums of their eight units: a tenth of the time that a product
    of matrices takes.
    """
    added = np.empty_like(sums)
    sums += units[:, 0].sum(axis=0)
    for start in range(0, len(units), 8):
        first, second = units[start : start + 8, 0], units[start : start + 8, 1]
        index = np.zeros(len(sums), dtype=np.uint8)
        for bit, coins_of_unit in enumerate(coins[start : start + 8]):
            index |= coins_of_unit << bit
        sums_of_eight = _EIGHT_COINS[:, : len(first)] @ (second - first)
        np.take(sums_of_eight, index, axis=0, out=added, mode="clip")
        sums += added


def _add_picks(sums: Floats, units: Floats, picks: npt.NDArray[np.intp]) -> None:
    """Add the picked entry of each unit (units, choices, metrics); picks are (units x draws,)."""
    added = np.empty_like(sums)
    for entries, chosen in zip(units, picks.reshape(len(units), len(sums)), strict=True):
        np.take(entries, chosen, axis=0, out=added, mode="clip")
        sums += added


def _picks(bits: np.random.PCG64, count: int, among: int) -> npt.NDArray[np.intp]:
    """Return whole numbers below `among`, from the raw stream: NumPy pins nothing above it."""
    raw = bits.random_raw((count + 1) // 2).view(np.uint32)[:count]
    scaled = raw.astype(np.uint64) * np.uint64(among)
    return (scaled >> np.uint64(32)).astype(np.intp)
