"""Mistakes planted into right answers are seen by the metric of their kind."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

import pytest

from benchmarks.damage import HARMLESS, SEEN, Damage, RightAnswer, passages
from benchmarks.damage_trial import METRIC_OF, dressed_names
from benchmarks.dressings import NAMES, WHOLE
from tests.unit.metrics.metric_factories import data_folder, make

HELD = tuple(dict.fromkeys(METRIC_OF.values()))


@pytest.fixture(scope="module")
def answers() -> Sequence[RightAnswer]:
    data_folder("clapnq_dev")
    return passages(references=False)[:120]


def losses(answers: Sequence[RightAnswer], damage: Damage, name: str) -> list[float]:
    """Return what each answer that has a place for the damage loses by it."""
    rng, metric = random.Random(1), make(name)
    texts = [(one, damage(one, rng, answers)) for one in answers]
    changed = [(one, text) for one, text in texts if text is not None and text != one.text]
    before = metric.score_samples([(one.sample, one.output) for one, _ in changed])
    after = metric.score_samples(
        [(one.sample, one.output.amended(answer=text)) for one, text in changed]
    )
    return [old.value - new.value for old, new in zip(before, after, strict=True)]


@pytest.mark.parametrize("kind", SEEN)
def test_a_planted_mistake_is_seen_in_three_of_four_answers(
    kind: str, answers: Sequence[RightAnswer]
) -> None:
    lost = losses(answers, SEEN[kind], METRIC_OF[kind])

    assert len(lost) >= (5 if kind == "another unit" else 20)
    assert sum(loss > 0 for loss in lost) >= 0.75 * len(lost)
    assert sum(lost) / len(lost) >= 0.2  # so that one answer in ten moves the mean by .02


@pytest.mark.parametrize("name", HELD)
@pytest.mark.parametrize("kind", HARMLESS)
def test_a_harmless_change_takes_nothing(
    kind: str, name: str, answers: Sequence[RightAnswer]
) -> None:
    assert sum(losses(answers, HARMLESS[kind], name)) / len(answers) < 0.005


@pytest.mark.parametrize("name", [*HELD, "unsupported_numbers", "word_precision"])
@pytest.mark.parametrize("dressing", WHOLE)
def test_marks_of_markdown_change_no_score(
    dressing: str, name: str, answers: Sequence[RightAnswer]
) -> None:
    dress = WHOLE[dressing]

    assert abs(sum(losses(answers, lambda one, rng, _: dress(one.text, rng), name))) < 1.5


def test_a_foreign_name_is_seen_whatever_marks_it(answers: Sequence[RightAnswer]) -> None:
    [line] = dressed_names(answers)
    counts = [re.findall(rf"[:,] {title} (\d+)(?:,|$)", line) for title in NAMES]
    seen = [int(count) for [count] in counts]

    assert min(seen) >= 0.95 * seen[0] > 80
