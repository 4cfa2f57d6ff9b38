"""variant_loss by hand."""

from __future__ import annotations

import pytest

from ragate.errors import ConfigError
from ragate.models import Direction, ScoreState
from tests.unit.metrics.metric_factories import aggregate, answered, make
from tests.unit.metrics.variants.variant_pairs import FAILED, ORIGINAL, question


def test_it_is_the_score_without_minus_the_score_with() -> None:
    pairs = [
        ORIGINAL,
        question("q-2", answered("Dogs bark."), of="q"),
        question("q-3", answered("It is 42."), of="q"),
    ]

    assert aggregate("variant_loss", pairs).value == 0.5
    assert aggregate("variant_loss", pairs, settings={"of": "number_recall"}).value == 0.5


def test_variants_that_do_better_are_a_gain() -> None:
    pairs = [question("q", FAILED), question("q-2", answered("It is 42."), of="q")]

    assert aggregate("variant_loss", pairs).value == -1.0
    assert make("variant_loss").info.direction is Direction.LOWER


def test_a_question_without_a_reference_is_left_out() -> None:
    bare = (ORIGINAL[0].amended(references=()), ORIGINAL[1])

    result = aggregate("variant_loss", [bare, question("q-2", answered("It is 42."), of="q")])

    assert result.state is ScoreState.UNSCORED
    assert result.reason == "no reference answer"


def test_a_metric_that_it_does_not_know_is_an_error() -> None:
    with pytest.raises(ConfigError, match="of = 'faithfulness'"):
        make("variant_loss", settings={"of": "faithfulness"})
