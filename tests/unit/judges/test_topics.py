"""The topics that known answers are made of."""

from __future__ import annotations

from ragate.core.judging.canary_rule import DRESSES
from ragate.judges._canaries.topics import topics


def test_there_is_a_topic_for_each_dress_and_none_twice() -> None:
    assert len({one.topic for one in topics()}) == len(topics()) == DRESSES


def test_answers_of_a_topic_differ() -> None:
    for one in topics():
        assert len({one.right, one.made_up, one.refusal}) == 3
