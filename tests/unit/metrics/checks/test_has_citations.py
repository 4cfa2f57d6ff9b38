"""An answer that cites something which was retrieved."""

from __future__ import annotations

import pytest

from tests.unit.metrics.metric_factories import answered, asked, score


@pytest.mark.parametrize(
    ("answer", "citations", "reason"),
    [
        ("Yes [1].", None, ""),
        ("Yes [2, 9].", None, ""),
        ("Yes.", (2,), ""),
        ("Yes.", None, "the answer cites nothing"),
        ("Yes [1].", (), "the answer cites nothing"),
        ("Yes [3].", None, "no citation leads to a retrieved chunk"),
        ("Yes [1].", (0,), "no citation leads to a retrieved chunk"),
    ],
)
def test_a_citation_counts_where_it_leads_to_a_chunk(
    answer: str, citations: tuple[int, ...] | None, reason: str
) -> None:
    found = score("has_citations", asked(), answered(answer, "a", "b", citations=citations))

    assert (found.value, found.reason) == (0.0 if reason else 1.0, reason)
