"""How often `ragate calibrate` advises another pass mark: where one is better, and where none is.

    python -m benchmarks.pass_marks [--draws 200] [--output FILE]

Judges grade in steps of .05, leniently or strictly; the best mark is better than the present one by
.10 in balanced accuracy, or by nothing; or all marks are alike ("flat"). Labels are drawn with the
number of the rarer class fixed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.shares import print_lines, share
from ragate.contrib.labels.confusion import confusion
from ragate.contrib.labels.judge_agreement import EDGE, advised, best_threshold

RARER = (20, 30, 40, 50, 70, 100)
TIMES = (1, 3)  # so many labels of the other class for each
STEPS = 20
Item = tuple[bool, float]


def population(random: Random, *, lenient: bool, size: int = 4000) -> list[Item]:
    """Return labels and grades, as many of each class."""
    items = []
    for number in range(size):
        good = number % 2 == 0
        centre = (0.9 if good else 0.5) if lenient else (0.6 if good else 0.15)
        grade = round(min(1.0, max(0.0, random.gauss(centre, 0.2))) * STEPS) / STEPS
        items.append((good, grade))
    return items


def flat(random: Random, size: int = 4000) -> list[Item]:
    """Return items of which any mark from .3 to .9 tells six in ten apart, and no more."""
    items = []
    for number in range(size):
        good = number % 2 == 0
        sure = random.random() < 0.6
        items.append((good, float(good) if sure else random.randrange(6, 19) / STEPS))
    return items


def accuracy(items: Sequence[Item], mark: float) -> float:
    labels = [label for label, _ in items]
    value = confusion(labels, [grade >= mark - EDGE for _, grade in items]).balanced_accuracy
    assert value is not None
    return value


def marks(items: Sequence[Item], gain: float, *, lower: bool) -> float:
    """Return the present mark, below the best one or above, that is nearest to `gain` worse."""
    best = best_threshold([label for label, _ in items], [grade for _, grade in items], near=0.5)
    assert best is not None
    if not gain:
        return best.value
    most = accuracy(items, best.value)
    beside = {grade for _, grade in items if (grade < best.value) == lower}
    return min(beside, key=lambda mark: abs(most - accuracy(items, mark) - gain))


def split(random: Random, items: Sequence[Item], rarer: int, times: int, good: bool) -> list[Item]:
    """Return items with so many of the rarer class, which is that of good answers or of bad."""
    few = [item for item in items if item[0] == good]
    many = [item for item in items if item[0] != good]
    drawn = random.sample(few, rarer) + random.sample(many, rarer * times)
    random.shuffle(drawn)
    return drawn


def share_advised(
    items: Sequence[Item], present: float, rarer: int, times: int, draws: int
) -> tuple[float, str]:
    """Return the gain of the best mark, and in how many splits one is advised."""
    random = Random(rarer)
    gain = max(accuracy(items, mark) for _, mark in items[:400]) - accuracy(items, present)
    outcomes = []
    for number in range(draws):
        drawn = split(random, items, rarer, times, good=number % 2 == 0 and times > 1)
        labels, grades = [label for label, _ in drawn], [grade for _, grade in drawn]
        outcomes.append(advised(labels, grades, present=present) is not None)
    return gain, share(outcomes)


def lines(draws: int) -> Iterator[str]:
    """Yield one line for each judge, gain and number of labels."""
    heads = f"{'judge':<16}{'present':>8}{'gain':>7}{'rarer':>7}{'other':>7}"
    yield f"{heads}{'advised':>26}"
    judges = {
        "lenient": (population(Random(1), lenient=True), True),
        "strict": (population(Random(2), lenient=False), False),
    }
    judges["flat"] = (flat(Random(3)), True)
    cases = [(0.10, name) for name in ("lenient", "strict")] + [(0.0, name) for name in judges]
    for gain, name in cases:
        items, lower = judges[name]
        present = 0.6 if name == "flat" else marks(items, gain, lower=lower)
        for rarer, times in product(RARER, TIMES):
            real, often = share_advised(items, present, rarer, times, draws)
            numbers = f"{present:>8.2f}{real:>7.2f}{rarer:>7}{rarer * times:>7}"
            yield f"{name:<16}{numbers}{often:>26}"


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=200)
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    print_lines(lines(options.draws), options.output)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
