"""What happened to one sample, in one sentence."""

from __future__ import annotations

from ragate.renderers import console
from tests.factories import report_factory, sample_row_factory


def test_three_expected_documents_are_named_and_the_rest_counted() -> None:
    row = sample_row_factory(expected=["a.md", "b.md", "c.md", "d.md"])

    text = console.render(report_factory(samples=(row,)))

    assert "c.md" in text
    assert "d.md" not in text
    assert "and 1 more" in text
