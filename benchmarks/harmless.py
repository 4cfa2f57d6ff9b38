"""How often the gate is red, yellow or without a decision on changes that do no harm.

    python benchmarks/harmless.py [--draws 400] [--questions 200] [--only insurance] [--output FILE]

Pull requests are made of real answers (`answer_sets.py`): three baseline runs and a candidate, each
of which draws one of the answers to every question, the candidate's left as they are or reworded
(`rewordings.py`). Every keyless metric on samples is judged at level error, all of them as one
family and, where nothing changes, alone too, with two confirmation runs where the first is
suspicious. Last, parts of the answers are left out on purpose. Seeds are fixed.
"""

from __future__ import annotations

import argparse
import datetime
import random
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.answer_sets import SETS, Pool
from benchmarks.rewordings import reworded
from benchmarks.shares import print_lines, wilson
from ragate import plugins
from ragate.core.comparison.compare import Comparison, compare
from ragate.core.decision.decide import decide
from ragate.core.rules.checked_metric import metric_of
from ragate.errors import ConfigError
from ragate.models import (
    Decision,
    DecisionSettings,
    MetricVerdict,
    Needs,
    Record,
    Rule,
    Run,
    RunManifest,
    SystemInfo,
    SystemOutput,
)
from ragate.scoring.metric_records import evaluate

Change = Callable[[str, random.Random], str]
TODAY = datetime.date(2026, 1, 1)
YELLOW = {MetricVerdict.WORSE_HERE, MetricVerdict.CANNOT_TELL}
# What docs/configuration.md, docs/judge.md and `ragate init` begin with.
RECOMMENDED = (
    "recall@10", "ndcg@10", "idf_f1", "token_f1", "number_recall", "citation_validity",
    "lexical_support", "unsupported_numbers", "refusal_recall", "false_refusal", "error_rate",
)  # fmt: skip


def unchanged(answer: str, _rng: random.Random) -> str:
    return answer


def third_reworded(answer: str, rng: random.Random) -> str:
    return reworded(answer, rng) if rng.random() < 0.3 else answer


HARMLESS: dict[str, Change] = {
    "no change": unchanged,
    "30 % of the answers reworded": third_reworded,
    "all answers reworded": reworded,
}


def _without(pattern: str) -> Change:
    found = re.compile(pattern)
    return lambda answer, _rng: found.sub(" ", answer).strip() or answer


LEFT_OUT: dict[str, tuple[str, Change]] = {
    "numbers": ("unsupported_numbers", _without(r"(?<!\[)\b\d[\d.,]*\b(?!\])")),
    "citations": ("citation_validity", _without(r"\s?\[\d+\]")),
    "quotation marks": ("quote_fidelity", _without(r"[\"“”]")),
}


@dataclass
class Tally:
    """Verdicts of one cell."""

    exits: Counter[int] = field(default_factory=Counter)
    yellow: int = 0

    def add(self, decision: Decision) -> None:
        self.exits[decision.exit_code] += 1
        self.yellow += decision.exit_code == 0 and any(
            row.verdict is MetricVerdict.WORSE_HERE and row.level == "error"
            for row in decision.metrics
        )

    def __add__(self, other: Tally) -> Tally:
        return Tally(self.exits + other.exits, self.yellow + other.yellow)

    def row(self, name: str) -> str:
        draws = self.exits.total()
        return (
            f"{name:<30}{draws:>6}{share(self.exits[1], draws)}{share(self.yellow, draws)}"
            f"{share(self.exits[3], draws)}{share(self.exits[0], draws)}"
        )


HEAD = f"{'metrics':<30}{'draws':>6}{'red':>22}{'worse here':>22}{'no decision':>22}{'exit 0':>22}"


def share(count: int, draws: int) -> str:
    """Return a share with its 95 % interval, Wilson's."""
    low, high = wilson(count, draws)
    return f"{count / draws:>8.3f} ({low:.3f}-{high:.3f})"


@cache
def keyless() -> tuple[str, ...]:
    """Return every metric on samples that needs no model and is held without a limit."""
    names = []
    for name in plugins.names("metrics"):
        try:
            metric = plugins.metric(name)
        except ConfigError:
            metric = plugins.metric(f"{name}@10")
        info = metric.info
        if getattr(metric, "unusable", ""):  # it wants a model
            continue
        if info.needs is Needs.NOTHING and not info.aggregate and info.high is not None:
            names.append(info.name)
    return tuple(names)


class Bench:
    """Pull requests over one set of answers; every distinct output is scored once."""

    def __init__(self, pools: Sequence[Pool], names: Sequence[str]) -> None:
        self.pools = pools
        samples = [pool.sample for pool in pools]
        self.metrics = [plugins.metric(name, samples=samples) for name in names]
        self.names = names
        self._known: dict[tuple[str, str], Record] = {}
        self._infos = self._scored([(pools[0], pools[0].outputs[0])]).manifest.metrics

    def _scored(self, asked: Sequence[tuple[Pool, SystemOutput]]) -> Run:
        manifest = RunManifest(system=SystemInfo(use="replay"))
        samples = [pool.sample for pool, _ in asked]
        outputs = {pool.sample.id: output for pool, output in asked}
        return evaluate([outputs], samples, self.metrics, manifest=manifest)

    def one_run(self, pools: Sequence[Pool], change: Change, rng: random.Random) -> list[Record]:
        """Return the records of one run in which every question draws an answer."""
        drawn = [(pool, pool.draw(rng)) for pool in pools]
        drawn = [
            (pool, output.amended(answer=change(output.answer or "", rng)))
            for pool, output in drawn
        ]
        keys = [(pool.sample.id, output.answer or "") for pool, output in drawn]
        new = [each for key, each in zip(keys, drawn, strict=True) if key not in self._known]
        if new:
            for (pool, output), record in zip(new, self._scored(new).records, strict=True):
                self._known[pool.sample.id, output.answer or ""] = record
        return [self._known[key] for key in keys]

    def run(self, passes: Sequence[Sequence[Record]]) -> Run:
        records = [
            Record.model_construct(**{**dict(record), "run": number})
            for number, one in enumerate(passes)
            for record in one
        ]
        manifest = RunManifest(
            system=SystemInfo(use="replay"), metrics=self._infos, runs=len(passes), confirm=2
        )
        return Run(manifest=manifest, records=records)

    def gates(
        self, size: int, change: Change, seed: int, families: Sequence[Sequence[str]]
    ) -> list[Decision]:
        """Return the final verdict of one pull request by each family of metrics."""
        rng = random.Random(seed)
        pools = rng.sample(list(self.pools), min(size, len(self.pools)))
        samples = [pool.sample for pool in pools]
        before = self.run([self.one_run(pools, unchanged, rng) for _ in range(3)])
        after = [self.one_run(pools, change, rng)]
        once = compare(before, self.run(after), samples)
        found = [_decide(once, family) for family in families]
        if all(not decision.wants_runs for decision in found):
            return found
        after += [self.one_run(pools, change, rng) for _ in range(2)]
        thrice = compare(before, self.run(after), samples)
        return [
            _decide(thrice, family) if decision.wants_runs else decision
            for family, decision in zip(families, found, strict=True)
        ]


def _decide(comparison: Comparison, family: Sequence[str]) -> Decision:
    columns = {k: v for k, v in comparison.columns.items() if metric_of(k) in family}
    rules = [Rule(metric=name) for name in family]
    return decide(rules, replace(comparison, columns=columns), DecisionSettings(), today=TODAY)


def applying(pools: Sequence[Pool]) -> list[str]:
    """Return the keyless metrics that the labels of a set allow."""
    left_out = {"judged@10"}  # only shown beside others
    if not any(pool.sample.relevant for pool in pools):
        left_out |= {n for n in keyless() if plugins.metric(n).info.reads == "retrieval"}
    if all(pool.sample.answerable for pool in pools):
        left_out.add("refusal_recall")
    return [name for name in keyless() if name not in left_out]


def harmless(name: str, draws: int, size: int) -> Iterator[str]:
    """Yield one table for each harmless change of a set's answers."""
    pools = SETS[name]()
    names = applying(pools)
    bench = Bench(pools, names)
    recommended = [metric for metric in names if metric in RECOMMENDED]
    together: dict[str, Sequence[str]] = {
        f"recommended ({len(recommended)})": recommended,
        f"all keyless ({len(names)})": names,
    }
    alone = {metric: [metric] for metric in names}
    for title, change in HARMLESS.items():
        families = together | (alone if change is unchanged else {})
        started = time.perf_counter()
        tallies = {family: Tally() for family in families}
        for seed in range(draws):
            found = bench.gates(size, change, seed, list(families.values()))
            for tally, decision in zip(tallies.values(), found, strict=True):
                tally.add(decision)
        yield f"\n{name}, {min(size, len(pools))} of {len(pools)} questions a draw: {title}"
        yield HEAD
        yield from (tally.row(family) for family, tally in tallies.items())
        if change is unchanged:
            every = [tallies[metric] for metric in alone]
            yield sum(every, Tally()).row(f"any of these {len(alone)} alone")
        print(f"{name}, {title}: {time.perf_counter() - started:.0f} s", file=sys.stderr)


def left_out(name: str, draws: int, size: int) -> Iterator[str]:
    """Yield how often leaving a part out of the answers that have it is red or yellow."""
    pools = SETS[name]()
    bench = Bench(pools, applying(pools))
    for part, (metric, change) in LEFT_OUT.items():
        if all(
            change(o.answer or "", random.Random()) == o.answer for p in pools for o in p.outputs
        ):
            continue  # there is nothing to leave out
        tally, seen = Tally(), 0
        for seed in range(draws):
            [decision] = bench.gates(size, change, seed, [[metric]])
            tally.add(decision)
            rows = [row for row in decision.metrics if row.metric != metric]
            seen += any(row.blocks or row.verdict is MetricVerdict.WORSE_HERE for row in rows)
        yield f"{tally.row(f'{name}: {part}')}{share(seen, draws)}"


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    reader.add_argument("--draws", type=int, default=400)
    reader.add_argument("--questions", type=int, default=200)
    reader.add_argument("--only", choices=sorted(SETS))
    reader.add_argument("--output", type=Path)
    options = reader.parse_args()
    chosen = [options.only] if options.only else list(SETS)
    print_lines(_report(options.draws, options.questions, chosen), options.output)


def _report(draws: int, questions: int, chosen: Sequence[str]) -> Iterator[str]:
    yield "Verdicts on harmless changes of real answers, 3 baseline runs; (95 % interval)"
    for name in chosen:
        yield from harmless(name, draws, questions)
    for name in chosen:
        yield "\nParts left out of every answer; last column: the count is red or worse here"
        yield HEAD
        yield from left_out(name, max(1, draws // 10), questions)


if __name__ == "__main__":
    main()
