"""What a metric may know of the baseline's retrieval."""

from __future__ import annotations

import pytest

from ragate.core.comparison.earlier_rankings import earlier_rankings
from ragate.core.hashing import content_hash
from ragate.models import Failure
from tests.factories import output_factory, record_factory, run_factory, sample_factory
from tests.unit.metrics.metric_factories import retrieved

FIRST, SECOND = sample_factory("q1"), sample_factory("q2")


def test_documents_of_the_first_run_stand_once_and_in_their_order():
    records = [
        record_factory(FIRST, retrieved("later"), run=1),
        record_factory(FIRST, retrieved("b", "a", "b"), run=0),
    ]

    docs = earlier_rankings(run_factory(records)).docs

    assert docs is not None
    assert dict(docs) == {content_hash(FIRST): ("b", "a")}


def test_a_sample_on_which_the_system_failed_has_no_ranking():
    failed = output_factory(error=Failure(kind="system", message="down"))

    docs = earlier_rankings(run_factory([record_factory(FIRST, failed)])).docs

    assert docs is not None
    assert (len(docs), docs.get(content_hash(FIRST))) == (0, None)


def test_another_question_is_not_that_of_before():
    docs = earlier_rankings(run_factory([record_factory(FIRST, retrieved("a"))])).docs

    assert docs is not None
    assert content_hash(SECOND) not in docs


def test_no_record_is_read_before_a_ranking_is_asked_for():
    run = run_factory([record_factory(FIRST, retrieved("a"))])

    class Unread(tuple):  # type: ignore[type-arg]
        def __iter__(self):
            raise AssertionError("read")

    run = run.model_copy(update={"records": Unread(run.records)})
    docs = earlier_rankings(run).docs

    assert docs is not None
    with pytest.raises(AssertionError, match="read"):
        len(docs)


def test_no_baseline_and_a_new_one_are_told_apart():
    assert earlier_rankings(None).docs is None
    assert not earlier_rankings(None).itself
    assert earlier_rankings(run_factory([]), recording=True).itself
