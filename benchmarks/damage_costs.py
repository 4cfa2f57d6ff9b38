"""What one planted mistake takes from the score of its own answer, and what lexical_support sees.

    python -m benchmarks.damage_costs [--output FILE]

On the halves that metrics were tuned on: each answer with a place for it gets each kind of damage
once. Then, for the answers about insurance, the thresholds of lexical_support: the mean with an
answer's own contexts, with those of another question, and what a foreign sentence takes. Seeds are
fixed.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from statistics import fmean

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.damage import SEEN, RightAnswer, insurance, passages
from benchmarks.damage_trial import half
from benchmarks.shares import print_lines
from ragate import plugins
from ragate.models import SystemOutput
from ragate.protocols import Metric, MetricRequest

METRICS = ("entity_support", "number_unit_support", "polarity", "word_precision")
THRESHOLDS = (0.5, 0.7, 0.8, 0.9)
SENTENCE = "foreign sentence"


def created(name: str, **settings: float) -> Metric:
    """Return a metric of single samples."""
    create: Callable[[MetricRequest], Metric] = plugins.load("metrics", name).create
    return create(MetricRequest(name=name, settings=settings))


def scored(metric: Metric, one: RightAnswer, output: SystemOutput) -> float | None:
    """Return the score of another output to the same question."""
    (score,) = metric.score_samples([(one.sample, output)])
    return score.value


def mean(values: Sequence[float | None]) -> float:
    """Return the mean of those that are measured."""
    return fmean(value for value in values if value is not None)


def costs(metric: Metric, answers: Sequence[RightAnswer], title: str) -> tuple[float, int]:
    """Return the mean change of an answer's own score, and how many answers had a place for it."""
    changes: list[float | None] = []
    for number, one in enumerate(answers):
        text = SEEN[title](one, random.Random(f"{title} {number}"), answers)
        if text is None or text == one.text:
            continue
        before = scored(metric, one, one.output)
        after = scored(metric, one, one.output.amended(answer=text))
        changes.append(None if before is None or after is None else after - before)
    return mean(changes), len(changes)


def cost_lines(name: str, answers: Sequence[RightAnswer]) -> Iterator[str]:
    """Yield the table of one collection."""
    metrics = [created(metric) for metric in METRICS]
    yield f"\n{name}: {len(answers)} answers\n"
    yield f"{'planted':<24}{'answers':>8}{''.join(f'{metric:>21}' for metric in METRICS)}"
    for title in SEEN:
        found = [costs(metric, answers, title) for metric in metrics]
        cells = "".join(f"{change:>+21.3f}" for change, _ in found)
        yield f"{title:<24}{found[0][1]:>8}{cells}"
    means = [mean([scored(metric, one, one.output) for one in answers]) for metric in metrics]
    yield f"{'mean of right answers':<32}{''.join(f'{value:>21.3f}' for value in means)}"


def with_contexts_of_another(one: RightAnswer, answers: Sequence[RightAnswer]) -> SystemOutput:
    """Return the answer with the contexts of another question, drawn by the sample's id."""
    others = [other for other in answers if other.key != one.key]
    drawn = random.Random(one.sample.id).choice(others)
    return one.output.amended(chunks=drawn.output.chunks)


def threshold_lines(answers: Sequence[RightAnswer]) -> Iterator[str]:
    """Yield what lexical_support tells apart, by its threshold."""
    yield f"\n{'threshold':<12}{'own contexts':>14}{'of another':>14}{SENTENCE:>20}"
    for threshold in THRESHOLDS:
        metric = created("lexical_support", threshold=threshold)
        own = mean([scored(metric, one, one.output) for one in answers])
        other = mean(
            [scored(metric, one, with_contexts_of_another(one, answers)) for one in answers]
        )
        lost, _ = costs(metric, answers, SENTENCE)
        yield f"{threshold:<12}{own:>14.3f}{other:>14.3f}{lost:>20.3f}"


def report() -> Iterator[str]:
    """Yield all tables."""
    own = half(insurance(references=False), 0)
    yield from cost_lines("insurance, the half that metrics were tuned on", own)
    yield from cost_lines("passages, the half in view", half(passages(references=False), 0))
    yield from threshold_lines(own)


def main() -> None:
    """Print the tables."""
    reader = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    reader.add_argument("--output", type=Path)
    print_lines(report(), reader.parse_args().output)


if __name__ == "__main__":
    main()
