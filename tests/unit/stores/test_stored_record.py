"""Scores as they are stored."""

from __future__ import annotations

import json

from ragate.models import Score, not_applicable, unscored
from ragate.stores.stored_record import read_scores, scores_json


def test_a_value_keeps_what_is_said_of_it() -> None:
    scores = {
        "a": Score(metric="a", value=0.5),
        "b": Score(metric="b", value=0.0, reason="weather: city is missing"),
        "c": unscored("c", "provider: it broke"),
        "d": not_applicable("d", "no tools"),
    }
    written = json.loads(json.dumps(scores_json(scores)))

    assert written["a"] == 0.5
    assert read_scores(written) == scores
