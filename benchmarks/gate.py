"""What the gate says of itself beside what it does, one subject after the other.

    python -m benchmarks.gate SUBJECT ... [--scale 1.0] [--output FILE]

On real answers (`gate_answers`) and on a simulated RAG (`gate_model`), with the package's own
tests, levels, allowances and verdicts. Shares stand with their 95 % intervals (Wilson); seeds are
fixed. 999 relabellings stand for 9,999. Results: `benchmarks/results/gate_SUBJECT.txt`.
"""

from __future__ import annotations

import argparse
import itertools
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np

from benchmarks.gate_answers import source
from benchmarks.gate_coverage import coverage
from benchmarks.gate_figures import figures
from benchmarks.gate_losses import false_alarms, lost_scores
from benchmarks.gate_model import Floats, Simulated, Truth
from benchmarks.gate_sight import visible_drop
from benchmarks.gate_tries import fast_red, must_pass
from benchmarks.gate_verdicts import Gate, Outcome, decide_scores
from benchmarks.shares import print_lines, share

SIZES = {"openqa": (50, 100, 200), "azure": (50, 100, 198), "mixed": (50, 100, 200)}
METRICS = {"openqa": (1, 3), "azure": (1, 3), "mixed": (1, 6)}
DROPS = (0.014, 0.05, 0.15)
TOLERANCES = (0.0, 0.02, 0.05)


def verdicts(scale: float) -> Iterator[str]:
    """Yield how each kind of change ends: red, or yellow, or held, and after how many runs."""
    yield from naive_rules(round(2000 * scale))
    unchanged: list[Outcome] = []
    for name in SIZES:
        for n, metrics in itertools.product(SIZES[name], METRICS[name]):
            cell = f"{name} n {n}, metrics {metrics}"
            # Of real answers a break takes all metrics, and any red finds it.
            one = 0 if isinstance(source(name, metrics), Simulated) else None
            for label, many, truth in _truths(source(name, metrics).loss):
                rng = np.random.default_rng(zlib.crc32(f"{cell} {label}".encode()))
                tried = range(max(20, round(many * scale)))
                draws = (source(name, metrics).draw(rng, n, **truth) for _ in tried)
                gate = Gate()
                every = [decide_scores(each, gate, seed=seed) for seed, each in enumerate(draws)]
                unchanged += every if not truth else ()
                yield f"{cell}, {label}: {_ends(every, one if 'broken' in truth else None)}"
    large = share(outcome.large for outcome in unchanged)
    yield f"all that change nothing: {_ends(unchanged)}; large falls add {large}"


def _truths(loss: float) -> Iterator[tuple[str, int, Truth]]:
    """Yield kinds of changes, and how many of each are tried."""
    yield "no change", 800, {}
    yield "30 % reworded", 400, {"rewritten": 0.3}
    for drop in DROPS:
        yield f"a drop of {drop}", 200, {"broken": min(1.0, drop / loss)}


def _ends(cell: Sequence[Outcome], metric: int | None = None) -> str:
    """Return the shares of one cell.

    Args:
        metric: The one that broke; None: any red counts.
    """
    parts = {
        "red": share(each.is_red(metric) for each in cell),
        "red or yellow": share(each.is_red() or each.is_yellow for each in cell),
        "cannot tell": share(each.unsure for each in cell),
        "held": share(0 in each.held for each in cell),
    }
    said = ", ".join(f"{name} {text}" for name, text in parts.items())
    return f"{said}, runs {np.mean([each.runs for each in cell]):.2f}"


def naive_rules(changes: int) -> Iterator[str]:
    """Yield how often rules that know of no noise are red beside the gate, on six metrics."""
    system = Simulated()
    for label, broken in (("no change", 0.0), ("a drop of 0.1", 0.1 / system.loss)):
        rng = np.random.default_rng(3)
        every = [system.draw(rng, 50, broken=broken) for _ in range(changes)]
        rules = (f"any fall beyond {each:g}: {naive(every, each):.2f}" for each in TOLERANCES)
        gate = share(Gate().is_red(each, seed) for seed, each in enumerate(every))
        yield f"simulated n 50, metrics 6, {label}: {', '.join(rules)}; ragate {gate}"


def naive(changes: Sequence[Floats], tolerance: float) -> float:
    """Share of red where any metric's mean may fall by `tolerance` from one run to another."""
    moves = np.array([(each[:, 3] - each[:, 0]).mean(axis=0) for each in changes])
    return float((moves < -tolerance - 1e-9).any(axis=1).mean())


SUBJECTS: dict[str, Callable[[float], Iterator[str]]] = {
    "verdicts": verdicts,
    "visible_drop": visible_drop,
    "false_alarms": false_alarms,
    "lost_scores": lost_scores,
    "figures": figures,
    "coverage": coverage,
    "must_pass": must_pass,
    "fast_red": fast_red,
}


def main() -> None:
    """Print the subjects, and write them to a file where asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("subjects", nargs="+", choices=[*SUBJECTS])
    parser.add_argument("--scale", type=float, default=1.0, help="share of the changes")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    print_lines(
        (line for name in options.subjects for line in SUBJECTS[name](options.scale)),
        options.output,
    )
    print(f"{time.process_time():.0f} s of CPU")


if __name__ == "__main__":
    main()
