"""Whole decisions on records: lost scores, and every kind of false alarm."""

from __future__ import annotations

import itertools
import re
import zlib
from collections.abc import Iterator, Sequence

import numpy as np

from benchmarks.gate_answers import source
from benchmarks.gate_model import Floats, Simulated
from benchmarks.gate_verdicts import SETTINGS
from benchmarks.repeating import RULE, TODAY, hash_of, samples_of
from benchmarks.shares import share
from ragate.core.comparison.compare import compare
from ragate.core.decision.decide import decide
from ragate.core.rules.unscored import ERROR, most_lost
from ragate.core.statistics.must_pass_odds import steadiness
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
RATED, MUST_PASS = ", a pass rate", ", 10 that must pass"
BELOW = 0.015  # the baseline's mean, floors lie
NEVER, TOGETHER = "never asked again", "asked again, over as one"
NO_DECISION, PASSED, FAILED = Verdict.NO_DECISION, Verdict.PASSED, Verdict.FAILED


def _changes(n: int, metrics: int, many: int) -> Iterator[Floats]:
    """Yield the scores of so many changes that change nothing."""
    rng = np.random.default_rng(zlib.crc32(f"openqa {metrics} {n}".encode()))
    for _ in range(many):
        yield source("openqa", metrics).draw(rng, n)


def lost_scores(scale: float) -> Iterator[str]:
    """Yield how changes end that lose scores: by failing where they would be wrong, and honestly.

    Honest losses are drawn as the product asks: again at once and at the end of the pass. Then how
    often a change that loses every score of 5 % of the questions does not pass.
    """
    yield from _failing_where_wrong(scale)
    for name, burst, kinds in (
        ("one by one", 1, ("asked again", NEVER)),
        ("in bursts of 5", 5, ("asked again", TOGETHER, NEVER)),
    ):
        for rate, how in itertools.product((0.005, 0.01, 0.02, 0.04), kinds):
            ends = [_end(each) for each in _honest(200, rate, burst, how, round(300 * scale))]
            undecided, red = (share(end is v for end in ends) for v in (NO_DECISION, FAILED))
            yield f"n 200, {rate:.1%} lost {name}, {how}: no decision {undecided}, red {red}"
    for metrics, rate in itertools.product((4, 8), (0.005, 0.02)):
        rng, unusual = np.random.default_rng(metrics), []
        for _ in range(round(2000 * scale)):
            before = rng.binomial(600, rate, metrics)
            now = rng.binomial(200, rate, metrics)
            bounds = [
                [most_lost(200, lost=int(lost), runs=600, error=error) for lost in before]
                for error in (0.02, ERROR / metrics)
            ]
            unusual.append([bool((now > np.array(most)).any()) for most in bounds])
        apart, together = (share(column) for column in zip(*unusual, strict=True))
        yield f"{metrics} metrics, {rate:.1%} lost: beyond a bound each {apart}, one {together}"
    for n, rate in itertools.product((100, 200), (0.0, 0.01, 0.02, 0.04)):
        ends = []
        for each in _honest(n, rate, 1, NEVER, round(150 * scale)):
            each[: round(0.05 * n), RUNS[0] :] = np.nan
            ends.append(_end(each))
        unpassed = share(end is not PASSED for end in ends)
        yield f"n {n}, usually {rate:.0%} lost, now 5 % more: not passed {unpassed}"


def _failing_where_wrong(scale: float) -> Iterator[str]:
    """Yield which of 200 answers, so many wrong and so many lost, pass: exact ones, then noisy."""
    ends = {}
    for wrong, lost in itertools.product(range(6), range(7)):
        scores = np.ones((200, sum(RUNS)))
        scores[:wrong, RUNS[0] :], scores[wrong : wrong + lost, RUNS[0] :] = 0.0, np.nan
        ends[wrong, lost] = _end(scores)
    alone = [wrong for wrong in range(6) if ends[wrong, 0] is PASSED]
    beside = [sum(pair) for pair, end in ends.items() if end is PASSED and pair[1]]
    yield f"exact, n 200: green up to {max(alone)} wrong, up to {max(beside)} wrong and lost"
    for wrong, lost in ((4, 0), (4, 2), (6, 0)):
        rng, green = np.random.default_rng(7), []
        for _ in range(round(400 * scale)):
            scores = _noisy(rng, 200)
            settled = np.argsort(-scores.mean(axis=1), kind="stable")
            scores[settled[:wrong], RUNS[0] :] = 0.0
            scores[settled[wrong : wrong + lost], RUNS[0] :] = np.nan
            green.append(_end(scores) is PASSED)
        yield f"noisy (5 % flips), n 200, {wrong} wrong, {lost} lost: green {share(green)}"


def _noisy(rng: np.random.Generator, n: int) -> Floats:
    """Return (samples, runs) of right or wrong, .85 on average, of which 5 % flip in a run."""
    right = rng.random((n, 1)) < 0.85
    return (right ^ (rng.random((n, sum(RUNS))) < 0.05)).astype(np.float64)


def _honest(n: int, rate: float, burst: int, how: str, many: int) -> Iterator[Floats]:
    """Yield changes that change nothing (samples, runs), of which scores are lost.

    Args:
        burst: So many neighbours are lost together, at once and when they are asked again at once;
            at the end of the pass 4 of 5 of them are answered, or 4 of 5 bursts are over as one. 1:
            each asking fails by itself.
        how: How the lost ones are asked again.
    """
    asked = 1 if how == NEVER else 3
    rng = np.random.default_rng(zlib.crc32(f"{n} {rate} {burst} {asked}".encode()))
    runs = sum(RUNS)
    for scores in _changes(n, 1, many):
        if burst > 1:
            begun = rng.random((n // burst, runs)) < rate
            if how == TOGETHER:
                begun &= rng.random(begun.shape) < 0.2
            lost = np.repeat(begun, burst, axis=0)
            if how not in (TOGETHER, NEVER):
                lost &= rng.random(lost.shape) < 0.2
        else:
            lost = np.asarray((rng.random((n, runs, asked)) < rate).all(axis=2))
        if lost[:, : RUNS[0]].mean() <= REFUSED:
            yield np.where(lost, np.nan, scores[..., 0])


def _end(scores: Floats) -> Verdict:
    return _decided(scores[..., None], [RULE], ("score",), samples_of(len(scores))).verdict


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
        (("alike", 0.0), ("that differ", 0.3)), ((3, 3), (3, 2))
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
            each = known.fails(tries, fails) if known else 1.0
            said.append(1 - (1 - each) ** int(eligible.sum()))
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
        baseline = run_of_scores(scores[:, [0, 0, 0]], "before", names, repeats=True)
        comparison = compare(
            baseline, run_of_scores(scores[:, 1:], "after", names, confirm=0), samples
        )
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
    baseline = run_of_scores(scores[:, : RUNS[0]], "before", names)
    decision = Decision(verdict=NO_DECISION, wants_runs=1)
    retried = {sample.id for sample in samples if sample.must_pass}
    for runs in (1, RUNS[1]):
        candidate = run_of_scores(scores[:, RUNS[0] : RUNS[0] + runs], "after", names)
        if not decision.wants_runs:
            tried = [one for one in candidate.records if not one.run or one.sample_id in retried]
            candidate = candidate.amended(records=tried)
        comparison = compare(baseline, candidate, samples)
        decision = decide(rules, comparison, SETTINGS, today=TODAY, slices=slices)
        if not (decision.wants_runs or decision.wants_tries):
            break
    return decision


def run_of_scores(
    scores: Floats,
    words: str,
    names: Sequence[str],
    *,
    repeats: bool = False,
    confirm: int = 2,
    whole: int = 0,
) -> Run:
    """Return the records of scores (samples, runs, metrics).

    Args:
        repeats: All runs gave the same outputs.
        whole: Runs of all samples, the others being further tries; 0: every one.
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
        runs=whole or scores.shape[1],
        confirm=confirm,
    )
    return Run(manifest=manifest, records=records)


def _score(name: str, value: float) -> Score:
    return unscored(name, "timeout") if np.isnan(value) else Score(metric=name, value=value)
