"""retrieval_consistency by hand."""

from __future__ import annotations

import pytest

from ragate.models import ScoreState
from tests.unit.metrics.metric_factories import aggregate, retrieved
from tests.unit.metrics.variants.variant_pairs import FAILED, question


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [("ab", "ba", 1.0), ("ab", "bc", 1 / 3), ("aab", "a", 1 / 2), ("a", "b", 0.0), ("", "", 0.0)],
)
def test_documents_are_compared_as_sets(first: str, second: str, expected: float) -> None:
    pairs = [question("q", retrieved(*first)), question("q-2", retrieved(*second), of="q")]

    assert aggregate("retrieval_consistency", pairs).value == pytest.approx(expected)


def test_a_failure_finds_nothing_in_common() -> None:
    pairs = [question("q", FAILED), question("q-2", FAILED, of="q")]

    assert aggregate("retrieval_consistency", pairs).value == 0.0


def test_passages_that_the_golden_set_arranged_are_not_compared() -> None:
    sample, output = question("q-2", retrieved("z"), of="q")
    arranged = (sample.amended(arrange="distractors:1"), output)
    pairs = [question("q", retrieved("a")), question("q-3", retrieved("a"), of="q"), arranged]

    assert aggregate("retrieval_consistency", pairs).value == 1.0
    alone = aggregate("retrieval_consistency", [pairs[0], arranged])
    assert alone.state is ScoreState.NOT_APPLICABLE
