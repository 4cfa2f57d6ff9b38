"""How often a system that is declared to repeat is red, on simulated changes whose truth is known.

    python benchmarks/repeating.py [--draws 2000] [--few] [--output FILE]

A draw of a flipping system is a whole comparison and decision of the product: three passes of the
baseline, one of the candidate, and two more of the samples whose output differs. A draw of
rewritten answers is a decision on scores that repeat. Shares with their 95 % interval (Wilson).
Seeds are fixed.
"""

from __future__ import annotations

import argparse
import datetime
import itertools
import sys
import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache, partial
from pathlib import Path

import numpy as np
import numpy.typing as npt

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.shares import print_lines, wilson
from benchmarks.shares import share as share_of
from ragate.core.comparison.compare import Comparison, compare
from ragate.core.comparison.repeating_samples import PROOF
from ragate.core.decision.decide import decide
from ragate.core.hashing import content_hash
from ragate.models import (
    Decision,
    DecisionSettings,
    MetricInfo,
    MetricRow,
    MetricVerdict,
    Reads,
    Record,
    Rule,
    Run,
    RunManifest,
    Sample,
    Score,
    SystemInfo,
    SystemOutput,
    Verdict,
)

INFO = MetricInfo(name="score")
RULE = Rule(metric="score")
SETTINGS = DecisionSettings()
TODAY = datetime.date(2026, 1, 1)
BASELINE = 3
MOST = 8  # passes of what changed
CHANGE = 0.12  # standard deviation of a reworded answer's score, of the range
Floats = npt.NDArray[np.float64]
Texts = npt.NDArray[np.str_]


@lru_cache(maxsize=4)
def samples_of(n: int) -> tuple[Sample, ...]:
    return tuple(Sample(id=f"q{row:04}", query=f"question {row}") for row in range(n))


@lru_cache(maxsize=1024)
def hash_of(sample_id: str) -> str:
    return content_hash(Sample(id=sample_id, query=f"question {int(sample_id[1:])}"))


@lru_cache(maxsize=64)
def scored_output(answer: str, value: float) -> tuple[SystemOutput, dict[str, Score]]:
    return SystemOutput(answer=answer), {"score": Score(metric="score", value=value)}


def run_of(samples: Sequence[Sample], outputs: Texts, scores: Floats, *, passes: int) -> Run:
    """Return a run; beyond the first pass only the samples that have one.

    Args:
        outputs, scores: (samples, passes); an output "" was not asked for.
        passes: Passes that cover every sample.
    """
    records = []
    for number in range(outputs.shape[1]):
        for row in np.flatnonzero(outputs[:, number] != "").tolist():
            answer = str(outputs[row, number])
            output, scored = scored_output(answer, float(scores[row, number]))
            record = Record.model_construct(
                sample_id=samples[row].id,
                run=number,
                content_hash=hash_of(samples[row].id),
                retrieval_hash="same",
                output_hash=answer,
                output=output,
                scores=scored,
            )
            records.append(record)
    manifest = RunManifest(
        system=SystemInfo(use="python"),
        metrics={"score": INFO},
        runs=passes,
        own_sessions=True,
    )
    return Run(manifest=manifest, records=records)


def decided(before: tuple[Texts, Floats], after: tuple[Texts, Floats]) -> Decision:
    """Return the product's decision; each side is outputs and scores, (samples, passes)."""
    samples = samples_of(len(before[0]))
    baseline = run_of(samples, *before, passes=BASELINE)
    candidate = run_of(samples, *after, passes=1)
    comparison = compare(baseline, candidate, samples)
    return decide([RULE], comparison, SETTINGS, today=TODAY)


def asked_again(outputs: Texts, baseline: Texts, passes: int) -> Texts:
    """Leave out the further passes of samples whose first output is the baseline's."""
    asked = outputs[:, :passes].copy()
    repeats = (baseline == baseline[:, :1]).all(axis=1)
    asked[~(repeats & (asked[:, 0] != baseline[:, 0])), 1:] = ""
    return asked


def flips(
    rng: np.random.Generator, n: int, rate: float, *, passes: int = MOST, lost: float = 0.0
) -> Decision:
    """An unchanged system that gives another, wrong output in a share `rate` of all runs.

    Args:
        lost: Share of what was asked again that nobody answered: those samples are unproven.
    """
    wrong = rng.random((n, BASELINE + MOST)) < rate
    return unchanged(wrong, passes=passes, unanswered=rng.random((n, MOST)) < lost)


def few_flips(rng: np.random.Generator, n: int, rate: float, flipping: int = 20) -> Decision:
    """An unchanged system whose flips are those of few questions; the others always repeat."""
    wrong = np.zeros((n, BASELINE + MOST), dtype=bool)
    wrong[:flipping] = rng.random((flipping, BASELINE + MOST)) < rate
    return unchanged(wrong)


def session_flips(
    rng: np.random.Generator, n: int, rate: float, sessions: tuple[int, int]
) -> Decision:
    """An unchanged system that draws what is wrong once a session, for all of its passes.

    Args:
        sessions: Of the baseline's passes, and of the candidate's.
    """
    sides = (
        np.repeat(rng.random((n, own)) < rate, -(-most // own), axis=1)[:, :most]
        for own, most in zip(sessions, (BASELINE, MOST), strict=True)
    )
    return unchanged(np.concatenate(list(sides), axis=1))


def unchanged(
    wrong: npt.NDArray[np.bool_],
    *,
    passes: int = MOST,
    unanswered: npt.NDArray[np.bool_] | None = None,
) -> Decision:
    """Decide on a system that did not change; `wrong` says which of its runs flipped."""
    outputs: Texts = np.where(wrong, "wrong", "right")
    before, after = outputs[:, :BASELINE], outputs[:, BASELINE:]
    after = asked_again(after, before, passes)
    if unanswered is not None:
        after[:, 1:][unanswered[:, 1:]] = ""
    scores = np.where(wrong, 0.0, 1.0)
    return decided((before, scores[:, :BASELINE]), (after, scores[:, BASELINE:]))


@lru_cache(maxsize=1)
def changed_everywhere(n: int) -> Comparison:
    """Return a comparison of `n` samples whose outputs all differ, and repeat."""
    samples = samples_of(n)
    scores = np.zeros((n, 2 * PROOF))
    sides = (np.full((n, 2 * PROOF), answer) for answer in ("same", "other"))
    baseline, candidate = (run_of(samples, outputs, scores, passes=PROOF) for outputs in sides)
    return compare(baseline, candidate, samples)


def rewrites(
    rng: np.random.Generator,
    n: int,
    share: float,
    *,
    lost: int = 0,
    change: float = CHANGE,
    unproven: float = 0.0,
) -> Decision:
    """A change that rewords answers without making them better or worse, and loses some whole.

    Args:
        lost: Answers that lose everything.
        change: Standard deviation of a reworded answer's score.
        unproven: Share of the answers that could not be asked again.
    """
    level = rng.uniform(0.4, 0.6, n)  # away from the ends, so that cutting off takes no side
    moved = np.clip(level + rng.normal(0.0, change, n), 0.0, 1.0)
    changed = np.where(rng.random(n) < share, moved, level)
    level[:lost], changed[:lost] = 1.0, 0.0
    comparison = changed_everywhere(n)
    column = comparison.columns["score"]
    before, after = (replace(column.baseline, values=each[:, None]) for each in (level, changed))
    column = replace(column, baseline=before, candidate=after, recorded=before)
    repetition = comparison.repetition
    if unproven:
        asked = np.where(rng.random(n) < unproven, 1, 2 * PROOF)
        part = replace(repetition.by_part[Reads.ANSWER], asked=asked)
        repetition = replace(repetition, by_part={**repetition.by_part, Reads.ANSWER: part})
    comparison = replace(comparison, columns={"score": column}, repetition=repetition)
    return decide([RULE], comparison, SETTINGS, today=TODAY)


def half_gone(rng: np.random.Generator, n: int) -> Decision:
    """A change after which each question has lost all with a chance of one half."""
    return rewrites(rng, n, 0.0, lost=int(rng.binomial(n, 0.5)))


def line(label: str, draws: int, simulate: Callable[[np.random.Generator], Decision]) -> str:
    """Simulate one cell and return its line."""
    rng = np.random.default_rng(zlib.crc32(label.encode()))
    red = yellow = 0
    for _ in range(draws):
        decision = simulate(rng)
        red += decision.verdict is Verdict.FAILED
        yellow += decision.metrics[0].verdict is MetricVerdict.WORSE_HERE
    low, high = wilson(red, draws)
    return (
        f"{label:<52} red {red / draws:.4f} ({low:.4f} to {high:.4f})  "
        f"worse on this set {yellow / draws:.4f}"
    )


def lines(draws: int) -> Iterator[str]:
    few = max(1, draws // 4)
    yield f"{draws} draws a cell ({few} where *)"
    yield "Three baseline passes, alpha 0.02, one gated metric"
    yield ""
    yield "An unchanged system whose outputs flip to a wrong one:"
    for n in (25, 100, 300):
        yield line(f"flip rate 0.03, n {n}", draws, partial(flips, n=n, rate=0.03))
    for n, rate in itertools.product((25, 100, 300), (0.01, 0.1)):
        yield line(f"flip rate {rate:.2f}, n {n} *", few, partial(flips, n=n, rate=rate))
    yield ""
    yield "The same, drawn once a session, if one session were taken for a session of each pass:"
    for sessions in ((1, 1), (3, 1), (3, 3)):
        label = f"flip rate 0.01, n 30, sessions {sessions[0]} and {sessions[1]}"
        yield line(label, draws, partial(session_flips, n=30, rate=0.01, sessions=sessions))
    yield ""
    yield "What fewer questions or passes of the baseline hide: flips of 1 in 3 n"
    for n in (15, 20, 30, 100):
        yield line(f"flip rate 1/{3 * n}, n {n}", draws, partial(flips, n=n, rate=1 / (3 * n)))
    yield ""
    yield "Where a part of what was asked again was not answered, and is held back:"
    for n in (25, 100):
        cell = partial(flips, n=n, rate=0.03, lost=0.3)
        yield line(f"flip rate 0.03, n {n}, not answered 0.3", draws, cell)
    for n, share in itertools.product((20, 50, 100), (0.1, 0.3)):
        cell = partial(rewrites, n=n, share=share, unproven=0.3)
        yield line(f"reworded {share:.2f}, n {n}, not answered 0.3", draws, cell)
    yield ""
    yield "Full losses among reworded answers:"
    for n, lost in itertools.product((20, 50, 100, 300), (1, 4)):
        cell = partial(rewrites, n=n, share=0.1, lost=lost)
        yield line(f"{lost} lost, reworded 0.10, n {n}", draws, cell)
    yield from half_gone_lines(draws)
    yield from few_lines(draws)
    for change, many, mark in ((CHANGE, draws, ""), (0.2, few, " *"), (0.3, few, " *")):
        yield ""
        yield f"Reworded without getting worse; a score changes with standard deviation {change}:"
        for n, share in itertools.product((20, 50, 100, 300), (0.03, 0.1, 0.3)):
            cell = partial(rewrites, n=n, share=share, change=change)
            yield line(f"reworded {share:.2f}, n {n}, change {change}{mark}", many, cell)


def few_lines(draws: int) -> Iterator[str]:
    yield ""
    yield "An unchanged system that flips in 20 questions alone, each in so many of its runs:"
    for n, rate in itertools.product((60, 200), (0.02, 0.1, 0.3, 0.5)):
        label, rows = f"20 of {n} questions flip at {rate:.2f}", list[MetricRow]()
        rng = np.random.default_rng(zlib.crc32(label.encode()))
        for _ in range(draws):
            rows += few_flips(rng, n, rate).metrics
        red = [row for row in rows if row.verdict is MetricVerdict.REGRESSED]
        alike = share_of(row in red and row.exact for row in rows)
        yield f"{label:<40} red {share_of(row in red for row in rows)}, by what repeats {alike}"


def half_gone_lines(draws: int) -> Iterator[str]:
    yield ""
    yield "Half of the documents gone: each question loses all with a chance of one half:"
    for n in (15, 16, 20, 30):
        yield line(f"half gone, n {n}", draws, partial(half_gone, n=n))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=2000)
    parser.add_argument("--few", action="store_true", help="only flips in few questions")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    told = few_lines if options.few else lines
    print_lines(told(options.draws), options.output)


if __name__ == "__main__":
    main()
