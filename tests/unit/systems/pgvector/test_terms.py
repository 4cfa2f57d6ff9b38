"""Words as the dimensions of a sparse vector."""

from __future__ import annotations

from ragate.systems.pgvector.settings import Bm25Settings
from ragate.systems.pgvector.terms import Analyzer, dimension

ANALYZER = Analyzer(Bm25Settings())


def test_terms_are_stemmed_stopped_and_hashed_alike_everywhere() -> None:
    assert ANALYZER.counts("The warranties of a Warranty") == {dimension("warranti"): 2}
    assert dimension("warranti") == 497_442_249


def test_words_of_grammar_are_left_out_in_the_stemmers_language() -> None:
    german = Analyzer(Bm25Settings(stemmer="german", stop_words="grammar"))
    english = Analyzer(Bm25Settings(stop_words="grammar"))

    assert len(german.dimensions("die Rechnung und der Preis")) == 2
    assert len(english.dimensions("must not pay within the week")) == 3  # not, pay, week
    assert len(ANALYZER.dimensions("must not pay within the week")) == 4  # must, pay, within, week
