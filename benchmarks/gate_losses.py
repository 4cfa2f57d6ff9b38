"""Whole decisions on records: lost scores, merged baselines, and every kind of false alarm."""

from __future__ import annotations

import itertools
import re
import zlib
from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks.gate_answers import source
from benchmarks.gate_model import Floats, Simulated
from benchmarks.gate_verdicts import SETTINGS, Gate
from benchmarks.repeating import RULE, TODAY, hash_of, samples_of
from benchmarks.shares import share
from ragate.baseline.merge import Side, merge_baselines
from ragate.baseline.read import parse_baseline
from ragate.baseline.write import dump_baseline, recorded_before
from ragate.core.comparison.compare import compare
from ragate.core.decision.decide import decide
from ragate.core.rules.metric_family import GENERALISE
from ragate.core.statistics.must_pass_odds import LADDER, steadiness
from ragate.models import (
    Decision,
    MetricInfo,
    Needs,
    PassRule,
    Record,
    Rule,
    Run,
    RunManifest,
    Sample,
    Score,
    Slice,
    SystemInfo,
    SystemOutput,
    Verdict,
    unscored,
)

RUNS = (3, 3)
REFUSED = 0.05  # a recording that lost more is no baseline
SETTLED = 20  # runs whose mean is as good as the truth
RATED, MUST_PASS = ", a pass rate", ", 10 that must pass"
BELOW = 0.015  # the baseline's mean, floors lie
NO_DECISION, PASSED, FAILED = Verdict.NO_DECISION, Verdict.PASSED, Verdict.FAILED


def _changes(n: int, metrics: int, many: int) -> Iterator[Floats]:
    """Yield the scores of so many changes that change nothing."""
    rng = np.random.default_rng(zlib.crc32(f"openqa {metrics} {n}".encode()))
    for _ in range(many):
        yield source("openqa", metrics).draw(rng, n)


def lost_scores(scale: float) -> Iterator[str]:
    """Yield how a harmless change ends where scores are lost by chance, after second chances.

    Then how often one that loses every score of 5 % of the questions does not pass.
    """
    for n, rate in itertools.product((20, 50, 200), (0.0, 0.02, 0.04)):
        ends = [
            _end(each)
            for each in _lossy(n, rate, round(150 * scale))
            if np.isnan(each[:, : RUNS[0]]).mean() <= REFUSED
        ]
        undecided, red = (share(end is v for end in ends) for v in (NO_DECISION, FAILED))
        yield f"n {n}, {rate:.0%} of the scores lost: no decision {undecided}, red {red}"
    for n, rate in itertools.product((100, 200), (0.0, 0.01, 0.02, 0.04)):
        ends = []
        for each in _lossy(n, rate, round(150 * scale)):
            each[: round(0.05 * n), RUNS[0] :] = np.nan
            ends.append(_end(each))
        unpassed = share(end is not PASSED for end in ends)
        yield f"n {n}, usually {rate:.0%} lost, now 5 % more: not passed {unpassed}"


def _lossy(n: int, rate: float, many: int) -> Iterator[Floats]:
    """Yield changes that change nothing (samples, runs), of which scores are lost."""
    rng = np.random.default_rng(zlib.crc32(f"{n} {rate}".encode()))
    for scores in _changes(n, 1, many):
        yield np.where(rng.random(scores.shape) < rate, np.nan, scores)[..., 0]


def _end(scores: Floats) -> Verdict:
    return _decided(scores[..., None], [RULE], ("score",), samples_of(len(scores))).verdict


def merges(scale: float) -> Iterator[str]:
    """Yield how far a merged baseline's mean is off the merged system's, and the no-op after it.

    Both sides recorded anew, with the old system or with one that loses 5 points; a system with a
    fingerprint is known by it, of the others the target branch's recording stands.
    """
    system = source("openqa", 1)
    for runs, (case, old, new) in itertools.product(
        (1, 3), (("known system", "before", "after"), ("unknown system", "", ""))
    ):
        rng, off, red = np.random.default_rng(runs), [], []
        for seed in range(round(400 * scale)):
            broken = 0.05 / system.loss if old else 0.0
            scores = system.draw(rng, 200, runs=(2 * runs, runs + SETTLED), broken=broken)
            sides = [scores[:, at * runs : (at + 1) * runs] for at in range(3)]
            written = [
                _written(_run(side, f"{side_of} {seed}", ("score",)), fingerprint)
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
            red.append(Gate(GENERALISE, base=runs).is_red(both, seed))
        spread = np.std(off) / np.sqrt(len(off))
        yield (
            f"K {runs}, {case}: off by {100 * np.mean(off):+.2f} points (standard error "
            f"{100 * spread:.2f}), the next no-op red {share(red)}"
        )


def _written(run: Run, fingerprint: str) -> bytes:
    system = run.manifest.system.amended(fingerprint=fingerprint)
    run = run.amended(manifest=run.manifest.amended(system=system))
    return dump_baseline(run, store="hashes", recorded=recorded_before(run))


def false_alarms(scale: float) -> Iterator[str]:
    """Yield how often no change is red by everything that can be, beside what reports say."""
    yield from _floors_and_slices(scale)
    yield from _must_pass(scale)
    for alpha in (0.05, 0.02):
        yield (
            "answers that repeat, all reworded neutrally, a noisy judge, n 50: red "
            f"{judge_only(round(600 * scale), alpha=alpha):.3f} at alpha {alpha}"
        )


def _floors_and_slices(scale: float) -> Iterator[str]:
    """Two metrics, four slices of a quarter with a floor each, and one floor over the whole set.

    With a pass rate, the share of answers that reach half of the score has a floor, too; some of
    the questions must reach it.
    """
    names, quarters = ("score", "score1"), ("a", "b", "c", "d")
    for n, also in itertools.product((100, 200), ("", RATED, MUST_PASS)):
        samples = [
            sample.amended(tags=(quarters[row % 4],), must_pass=also == MUST_PASS and row < 10)
            for row, sample in enumerate(samples_of(n))
        ]
        said, red = [], []
        for scores in _changes(n, 2, round(400 * scale)):
            before = scores[:, : RUNS[0], 0]
            means = [before[row::4].mean() - BELOW for row in range(4)]
            slices = [
                Slice(name=tag, tags=(tag,), metrics=("score",), minimum=max(0.0, mean))
                for tag, mean in zip(quarters, means, strict=True)
            ]
            floor = max(0.0, float(np.mean(means)))
            passing = PassRule(minimum=max(0.0, float((before >= 0.5).mean()) - BELOW))
            score = Rule(metric="score", minimum=floor)
            if also:
                rated = passing if also == RATED else None
                score = score.amended(pass_at=0.5, pass_rate=rated)
            rules = [score, Rule(metric="score1")]
            decision = _decided(scores, rules, names, samples, slices)
            red.append(decision.verdict is FAILED)
            said.append(_said(decision.lines))
        yield f"floors{also}, slices, n {n}: said {np.mean(said):.3f} (mean), red {share(red)}"


def _said(lines: Sequence[str]) -> float:
    """Return the chance of a false alarm that a report says: the sum, where it has one."""
    together = re.findall(r"together about 1 in ([\d,]+)", " ".join(lines))
    return 1 / int(together[0].replace(",", "")) if together else SETTINGS.alpha


def _must_pass(scale: float) -> Iterator[str]:
    """Yield how often 40 questions that pass 95 of 100 runs are red by luck, said and true.

    Each of them, or on average: then they differ as real ones do.
    """
    rng, many = np.random.default_rng(5), round(2000 * scale)
    for (who, spread), (tries, fails) in itertools.product(
        (("alike", 0.0), ("that differ", 0.3)), LADDER
    ):
        said, red = [], []
        size = 1 / spread - 1 if spread else 0.0
        for _ in range(many):
            chances = np.full((40, 1), 0.95)
            if size:
                chances = rng.beta(0.95 * size, 0.05 * size, (40, 1))
            steady = rng.random((40, RUNS[0])) < chances
            eligible = steady.all(axis=1)
            known = steadiness(steady)
            said.append(known.any_fails(int(eligible.sum()), tries, fails) if known else 1.0)
            failed = (rng.random((40, tries)) > chances).sum(axis=1) >= fails
            red.append(bool(failed[eligible].any()))
        yield (
            f"40 {who} must pass, {fails} of {tries}: said {np.mean(said):.4f} (mean), "
            f"red {share(red)}"
        )


def judge_only(changes: int, *, n: int = 50, alpha: float) -> float:
    """Share of red where answers repeat exactly, the judge is noisy, and all are reworded.

    Three byte-equal baseline passes have one verdict per answer.
    """
    rng, system, samples = np.random.default_rng(20), Simulated(), samples_of(n)
    names = [f"m{metric}" for metric in range(len(system.kinds))]
    red = 0
    for _ in range(changes):
        scores = system.draw(rng, n, runs=(1, 1), rewritten=1.0)
        baseline = _run(scores[:, [0, 0, 0]], "before", names, repeats=True)
        comparison = compare(baseline, _run(scores[:, 1:], "after", names, confirm=0), samples)
        rules, settings = [Rule(metric=name) for name in names], SETTINGS.amended(alpha=alpha)
        red += decide(rules, comparison, settings, today=TODAY).verdict is FAILED
    return red / changes


def _decided(
    scores: Floats,
    rules: Sequence[Rule],
    names: Sequence[str],
    samples: Sequence[Sample],
    slices: Sequence[Slice] = (),
) -> Decision:
    """Decide as a check does, with its confirmation, on (samples, runs, metrics); NaN: unscored."""
    baseline = _run(scores[:, : RUNS[0]], "before", names)
    decision = Decision(verdict=NO_DECISION, wants_runs=1)
    retried = {sample.id for sample in samples if sample.must_pass}
    for runs in (1, RUNS[1]):
        candidate = _run(scores[:, RUNS[0] : RUNS[0] + runs], "after", names)
        if not decision.wants_runs:
            tried = [one for one in candidate.records if not one.run or one.sample_id in retried]
            candidate = candidate.amended(records=tried)
        comparison = compare(baseline, candidate, samples)
        decision = decide(rules, comparison, SETTINGS, today=TODAY, slices=slices)
        if not (decision.wants_runs or decision.wants_tries):
            break
    return decision


def _run(
    scores: Floats, words: str, names: Sequence[str], *, repeats: bool = False, confirm: int = 2
) -> Run:
    """Return the records of scores (samples, runs, metrics).

    Args:
        repeats: All runs gave the same outputs.
    """
    records = [
        Record.model_construct(
            sample_id=sample.id,
            run=number,
            content_hash=hash_of(sample.id),
            retrieval_hash="same",
            output_hash=words if repeats else f"{words} {number}",
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
        metrics={name: MetricInfo(name=name, needs=Needs.JUDGE) for name in names},
        runs=scores.shape[1],
        confirm=confirm,
    )
    return Run(manifest=manifest, records=records)


def _score(name: str, value: float) -> Score:
    return unscored(name, "timeout") if np.isnan(value) else Score(metric=name, value=value)
