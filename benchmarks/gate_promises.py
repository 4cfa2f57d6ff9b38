"""What the gate says it can see beside what it sees, on real answers and by the gate's own code.

    python -m benchmarks.gate_promises [--only NAME ...] [--scale 1.0] [--output FILE]

Both looks run with the package's tests, levels, allowances and verdicts (`gate_verdicts`); a share
that stands alone has a standard error of sqrt(p (1 - p) / changes). Seeds are fixed.
"""

from __future__ import annotations

import argparse
import itertools
import re
import time
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np

from benchmarks.gate_answers import Answers, azure, openqa
from benchmarks.gate_model import Floats
from benchmarks.gate_sight import FACTORS, drop_at_80
from benchmarks.gate_verdicts import SETTINGS, Outcome, decide_scores, shows
from benchmarks.repeating import RULE, TODAY, hash_of, samples_of
from benchmarks.shares import print_lines, share
from ragate.baseline.merge import Side, merge_baselines
from ragate.baseline.read import parse_baseline
from ragate.baseline.write import dump_baseline, recorded_before
from ragate.core.comparison.compare import compare
from ragate.core.decision.decide import decide
from ragate.core.rules.metric_family import GENERALISE, THIS_SET
from ragate.core.rules.noisy.visible_drop import REWORDED
from ragate.core.statistics.metric_noise import Noise, measure_noise
from ragate.core.statistics.must_pass_odds import LADDER, steadiness
from ragate.models import (
    MetricInfo,
    Record,
    Rule,
    Run,
    RunManifest,
    Score,
    Slice,
    SystemInfo,
    SystemOutput,
    Verdict,
    unscored,
)

RUNS = (3, 3)
CLAIMS = (GENERALISE, THIS_SET)
SOURCES = {"openqa": (openqa, 301), "azure": (azure, 198)}
CARE = 0.05
REFUSED = 0.05  # a recording that lost more is no baseline
SETTLED = 20  # runs whose mean is as good as the truth
NO_DECISION, PASSED = Verdict.NO_DECISION, Verdict.PASSED


@cache
def answers_of(source: str, metrics: int) -> Answers:
    """Return a collection's answers with the first so many metrics."""
    whole = SOURCES[source][0]() if metrics == 3 else answers_of(source, 3)
    return replace(whole, scores=whole.scores[..., :metrics])


def loss_of(answers: Answers) -> float:
    """Return how far the first metric falls, on average, where every question breaks."""
    usual, others = answers.scores[:, :, :, 0, 0], answers.scores[:, :, :, 1:, 0].mean(axis=3)
    mean = ((1 - answers.noise) * usual + answers.noise * others).mean(axis=(0, 1))
    return float(mean[0] - mean[1])


def changes(source: str, metrics: int, n: int, many: int, **truth: float) -> Iterator[Floats]:
    """Yield the scores of so many changes of one truth."""
    answers, label = answers_of(source, metrics), f"{source} {metrics} {n} {sorted(truth.items())}"
    rng = np.random.default_rng(zlib.crc32(label.encode()))
    for _ in range(many):
        yield answers.draw(rng, n, runs=RUNS, **truth)


def decided(
    source: str, metrics: int, n: int, claim: str, many: int, **truth: float
) -> list[Outcome]:
    """Decide on so many changes of one truth."""
    every = enumerate(changes(source, metrics, n, many, **truth))
    return [decide_scores(scores, RUNS, claim, seed=seed) for seed, scores in every]


def no_change(scale: float) -> Iterator[str]:
    """Yield how often a change that changes nothing is red or yellow, in 24 cells."""
    every: list[Outcome] = []
    for source, claim, n, metrics in itertools.product(SOURCES, CLAIMS, (50, 100, 0), (1, 3)):
        size = n or min(200, SOURCES[source][1])
        cell = decided(source, metrics, size, claim, round(400 * scale))
        every += cell
        yield f"{source} n {size} {claim}, metrics {metrics}: {_colours(cell)}"
    large = share(outcome.large for outcome in every)
    yield f"all: {_colours(every)}; falls as large as what shows add {large}"


def _colours(cell: list[Outcome]) -> str:
    red, either = share(o.is_red() for o in cell), share(o.is_red() or o.is_yellow for o in cell)
    return f"red {red}, red or yellow {either}"


def sight(scale: float) -> Iterator[str]:
    """Yield what is said to show beside the drop that is red in four of five cases.

    Before a change how far rewording moves a score is assumed; of a change the report reads it off
    the samples that rise.
    """
    yield from _rewordings()
    cells = itertools.product(SOURCES, CLAIMS, (50, 198), (1, 3), (0.0, REWORDED, 1.0))
    for source, claim, n, metrics, reworded in cells:
        answers = answers_of(source, metrics)
        quiet = changes(source, metrics, n, 15, rewritten=reworded)
        before = float(np.median([_printed(each, claim, reworded) for each in quiet]))
        broken = min(1.0, before / loss_of(answers_of(source, 1)))
        moved = changes(source, metrics, n, 25, rewritten=reworded, broken=broken)
        printed = float(np.median([_printed(each, claim) for each in moved]))
        rng = np.random.default_rng(zlib.crc32(f"{source} {n} {claim} {metrics}".encode()))
        drops, reds = [], []
        for seed in range(round(150 * scale)):
            drop = printed * FACTORS[seed % len(FACTORS)]
            scores = answers.draw(rng, n, runs=RUNS, rewritten=reworded, drop=drop)
            drops.append(drop)
            reds.append(decide_scores(scores, RUNS, claim, seed=seed).is_red(0))
        seen = drop_at_80(np.array(drops), np.array(reds), printed)
        cell = f"{source} n {n} {claim}, metrics {metrics}, reworded {reworded:.0%}"
        yield (
            f"{cell}: of the change {printed:.3f} ({printed / seen:.2f}), before it {before:.3f} "
            f"({before / seen:.2f}), simulated {seen:.3f}"
        )


def _rewordings() -> Iterator[str]:
    """Yield how far another wording moves a score, as a share of what another question does."""
    for source in SOURCES:
        shares = []
        for scores in changes(source, 1, 198, 100, rewritten=1.0):
            noise = _reworded(scores)
            shares.append(noise.reworded / (2 * noise.between))
        low, middle, high = np.quantile(shares, (0.1, 0.5, 0.9))
        yield f"{source}: rewording moves {middle:.2f} ({low:.2f} to {high:.2f} in 8 of 10 changes)"


def _reworded(scores: Floats) -> Noise:
    """Return the noise of the first metric with the rewording that the candidate shows."""
    base, cand = scores[:, : RUNS[0], 0], scores[:, RUNS[0] :, 0]
    moves = cand.mean(axis=1) - base.mean(axis=1)
    noise = measure_noise(base)
    return noise.as_seen(moves, baseline_runs=RUNS[0], candidate_runs=RUNS[1])


def _printed(scores: Floats, claim: str, reworded: float | None = None) -> float:
    """Return what a report prints: of this change, or before one that rewords such a share."""
    noise = measure_noise(scores[:, : RUNS[0], 0])
    noise = _reworded(scores) if reworded is None else noise.when_reworded(reworded)
    found = shows(scores, 0, RUNS[0], claim, noise)
    return 1.0 if found is None else found


def held(scale: float) -> Iterator[str]:
    """Yield how often a metric is said to hold where it fell by `care`, and where it did not."""
    cells = itertools.product(SOURCES, CLAIMS, (100, 198), (0.0, REWORDED))
    for source, claim, n, reworded in cells:
        said = []
        for drop in (CARE, 0.0):
            broken = drop / loss_of(answers_of(source, 1))
            many = round((200 if drop else 50) * scale)
            cell = decided(source, 1, n, claim, many, rewritten=reworded, broken=broken)
            said.append(share(0 in outcome.held for outcome in cell))
        where = f"{source} n {n} {claim}, reworded {reworded:.0%}"
        yield f"{where}: wrongly {said[0]}, rightly {said[1]}"


def fast_red(scale: float) -> Iterator[str]:
    """Yield which share of the calls of a change that breaks answers the first look saves."""
    for source, claim, drop in itertools.product(SOURCES, CLAIMS, (0.05, 0.08, 0.15)):
        broken = min(1.0, drop / loss_of(answers_of(source, 3)))
        cell = decided(source, 3, 198, claim, round(200 * scale), broken=broken)
        saved = 1 - np.mean([outcome.runs for outcome in cell]) / RUNS[1]
        red = share(outcome.is_red() for outcome in cell)
        yield f"{source} n 198 {claim}, a drop of {drop}: red {red}, calls saved {saved:.2f}"


def must_pass(scale: float) -> Iterator[str]:
    """Yield how often 40 questions that pass 95 of 100 runs are red by luck, said and true."""
    rng, many = np.random.default_rng(5), round(2000 * scale)
    for tries, fails in LADDER:
        said, red = [], []
        for _ in range(many):
            steady = rng.random((40, RUNS[0])) < 0.95
            eligible = int(steady.all(axis=1).sum())
            known = steadiness(steady)
            said.append(known.any_fails(eligible, tries, fails) if known else 1.0)
            red.append(bool(((rng.random((eligible, tries)) > 0.95).sum(axis=1) >= fails).any()))
        yield f"{fails} of {tries}: said {np.median(said):.4f} (median), red {share(red)}"


def lost_scores(scale: float) -> Iterator[str]:
    """Yield how a harmless change ends where scores are lost by chance, after second chances."""
    for n, rate in itertools.product((20, 50, 200), (0.0, 0.02, 0.04)):
        rng = np.random.default_rng(zlib.crc32(f"{n} {rate}".encode()))
        many = changes("openqa", 1, n, round(150 * scale))
        lossy = (np.where(rng.random(each.shape) < rate, np.nan, each)[..., 0] for each in many)
        ends = [_end(each) for each in lossy if np.isnan(each[:, : RUNS[0]]).mean() <= REFUSED]
        undecided, red = (share(end is v for end in ends) for v in (NO_DECISION, Verdict.FAILED))
        yield f"n {n}, {rate:.0%} of the scores lost: no decision {undecided}, red {red}"


def false_alarms(scale: float) -> Iterator[str]:
    """Yield how often no change is red by metrics, slices and floors, beside what reports say.

    Two metrics, four slices of a quarter with a floor each, and one floor over the whole set: all
    floors lie 1.5 points below the baseline's mean.
    """
    names, quarters = ("score", "score1"), ("a", "b", "c", "d")
    for n in (100, 200):
        samples = [
            sample.amended(tags=(quarters[row % 4],)) for row, sample in enumerate(samples_of(n))
        ]
        said, red = [], []
        for scores in changes("openqa", 2, n, round(400 * scale)):
            means = [scores[row::4, : RUNS[0], 0].mean() - 0.015 for row in range(4)]
            slices = [
                Slice(name=tag, tags=(tag,), metrics=("score",), minimum=max(0.0, mean))
                for tag, mean in zip(quarters, means, strict=True)
            ]
            floor = max(0.0, float(np.mean(means)))
            rules = [Rule(metric="score", minimum=floor), Rule(metric="score1")]
            baseline = _run(scores[:, : RUNS[0]], "before", names)
            for runs in (1, RUNS[1]):
                candidate = _run(scores[:, RUNS[0] : RUNS[0] + runs], "after", names)
                comparison = compare(baseline, candidate, samples)
                decision = decide(rules, comparison, SETTINGS, today=TODAY, slices=slices)
                if not decision.wants_runs:
                    break
            red.append(decision.verdict is Verdict.FAILED)
            said.append(_said(decision.lines))
        yield f"n {n}: said {np.mean(said):.3f} (mean), red {share(red)}"


def _said(lines: Sequence[str]) -> float:
    """Return the chance of a false alarm that a report says: the sum, where it has one."""
    together = re.findall(r"together about 1 in ([\d,]+)", " ".join(lines))
    return 1 / int(together[0].replace(",", "")) if together else SETTINGS.alpha


def planted_losses(scale: float) -> Iterator[str]:
    """Yield how often a change that loses every score of 5 % of the questions does not pass."""
    for n, rate in itertools.product((100, 200), (0.0, 0.01, 0.02, 0.04)):
        rng = np.random.default_rng(zlib.crc32(f"planted {n} {rate}".encode()))
        ends = []
        for scores in changes("openqa", 1, n, round(150 * scale)):
            lossy = np.where(rng.random(scores.shape) < rate, np.nan, scores)[..., 0]
            lossy[: round(0.05 * n), RUNS[0] :] = np.nan
            ends.append(_end(lossy))
        yield f"n {n}, usually {rate:.0%} lost: not passed {share(e is not PASSED for e in ends)}"


def merges(scale: float) -> Iterator[str]:
    """Yield how far a merged baseline's mean is off the merged system's, and the no-op after it.

    Both sides recorded anew, with the old system or with one that loses 5 points; a system with a
    fingerprint is known by it, of the others the target branch's recording stands.
    """
    broken = 0.05 / loss_of(answers_of("openqa", 1))
    for runs, (case, old, new) in itertools.product(
        (1, 3), (("known system", "before", "after"), ("unknown system", "", ""))
    ):
        rng, off, red = np.random.default_rng(runs), [], []
        for seed in range(round(400 * scale)):
            lost = broken if old else 0.0
            scores = answers_of("openqa", 1).draw(
                rng, 200, runs=(2 * runs, runs + SETTLED), broken=lost
            )
            sides = [scores[:, at * runs : (at + 1) * runs, 0] for at in range(3)]
            written = [
                _written(_run(side, f"{side_of} {seed}"), fingerprint)
                for side, side_of, fingerprint in zip(
                    sides, ("base", "ours", "theirs"), (old, old, new), strict=True
                )
            ]
            target: Side = "ours" if old else "theirs"
            merged = merge_baselines(*written, name="gate.json", target=target)
            kept = parse_baseline(merged.content, where="merged")
            held = np.array([[r.scores["score"].value for r in kept.records]]).reshape(runs, 200).T
            true = scores[:, 3 * runs :, 0]
            off.append(float(held.mean() - true.mean()))
            both = np.concatenate([held, true[:, : RUNS[1]]], axis=1)[..., None]
            red.append(decide_scores(both, (runs, RUNS[1]), GENERALISE, seed=seed).is_red())
        spread = np.std(off) / np.sqrt(len(off))
        yield (
            f"K {runs}, {case}: off by {100 * np.mean(off):+.2f} points (standard error "
            f"{100 * spread:.2f}), the next no-op red {share(red)}"
        )


def _written(run: Run, fingerprint: str) -> bytes:
    system = run.manifest.system.amended(fingerprint=fingerprint)
    run = run.amended(manifest=run.manifest.amended(system=system))
    return dump_baseline(run, store="hashes", recorded=recorded_before(run))


def _end(scores: Floats) -> Verdict:
    """Decide as a check does, with its confirmation, on scores (samples, runs); NaN is unscored."""
    samples = samples_of(len(scores))
    baseline = _run(scores[:, : RUNS[0]], "before")
    for runs in (1, RUNS[1]):
        candidate = _run(scores[:, RUNS[0] : RUNS[0] + runs], "after")
        comparison = compare(baseline, candidate, samples)
        decision = decide([RULE], comparison, SETTINGS, today=TODAY)
        if not decision.wants_runs:
            break
    return decision.verdict


def _run(scores: Floats, words: str, names: Sequence[str] = ("score",)) -> Run:
    scores = scores.reshape(*scores.shape[:2], len(names))
    records = [
        Record.model_construct(
            sample_id=sample.id,
            run=number,
            content_hash=hash_of(sample.id),
            retrieval_hash="same",
            output_hash=f"{words} {number}",
            output=SystemOutput(answer=words),
            scores={
                name: _score(name, float(value)) for name, value in zip(names, values, strict=True)
            },
        )
        for number in range(scores.shape[1])
        for sample, values in zip(samples_of(len(scores)), scores[:, number], strict=True)
    ]
    manifest = RunManifest(
        system=SystemInfo(use="python"),
        metrics={name: MetricInfo(name=name) for name in names},
        runs=scores.shape[1],
        confirm=2,
    )
    return Run(manifest=manifest, records=records)


def _score(name: str, value: float) -> Score:
    return unscored(name, "timeout") if np.isnan(value) else Score(metric=name, value=value)


TABLES = {
    "lost scores": lost_scores,
    "planted losses": planted_losses,
    "merges": merges,
    "false alarms": false_alarms,
    "no change": no_change,
    "fast red": fast_red,
    "held": held,
    "must pass": must_pass,
    "sight": sight,
}


def main() -> None:
    """Print the tables, and write them to a file where asked."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--scale", type=float, default=1.0, help="share of the changes")
    parser.add_argument("--only", choices=[*TABLES], nargs="*", help="these tables alone")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    lines = (
        line
        for name in options.only or TABLES
        for line in itertools.chain([f"\n{name}"], TABLES[name](options.scale))
    )
    print_lines(lines, options.output)
    print(f"{time.process_time():.0f} s of CPU")


if __name__ == "__main__":
    main()
