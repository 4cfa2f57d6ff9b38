"""Words as the dimensions of a sparse vector."""

from __future__ import annotations

from ragate.systems.pgvector.index.terms import Analyzer, dimension
from ragate.systems.pgvector.settings import Bm25Settings

ANALYZER = Analyzer(Bm25Settings())


def test_terms_are_stemmed_stopped_and_hashed_alike_everywhere() -> None:
    assert ANALYZER.counts("The warranties of a Warranty") == {dimension("warranti"): 2}
    assert dimension("warranti") == 497_442_249
