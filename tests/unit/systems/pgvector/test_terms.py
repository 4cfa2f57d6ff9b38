"""Words as the dimensions of a sparse vector."""

from __future__ import annotations

import numpy as np
import pytest

from ragate.systems.pgvector.settings import Bm25Settings
from ragate.systems.pgvector.terms import (
    DIMENSIONS,
    Analyzer,
    Counted,
    dimension,
    document_frequencies,
    weigh,
)

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


def test_a_term_counts_once_for_each_chunk_that_holds_it() -> None:
    texts = ("warranty warranty refund", "warranty")
    chunks = [Counted.from_counts("d", at, ANALYZER.counts(text)) for at, text in enumerate(texts)]

    frequencies = dict(document_frequencies(chunks))

    assert frequencies == {dimension("warranti"): 2, dimension("refund"): 1}
    assert document_frequencies([]) == []


def test_a_weight_is_that_of_the_formula() -> None:
    settings = Bm25Settings(k1=1.5, b=0.5)
    chunk = Counted.from_counts("d", 0, {3: 2, 8: 1})

    (data,) = weigh([chunk], settings, average=6.0)

    norm = 1.5 * (1 - 0.5 + 0.5 * 3 / 6.0)
    head, weights = np.frombuffer(data[:20], ">i4"), np.frombuffer(data[20:], ">f4")
    assert list(head) == [DIMENSIONS, 2, 0, 3, 8]
    assert list(weights) == pytest.approx([2 * 2.5 / (2 + norm), 1 * 2.5 / (1 + norm)])
