"""allowed_sources by hand, and its stars against those of the standard library."""

from __future__ import annotations

import time
from fnmatch import fnmatchcase

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ragate.models import Reads
from tests.unit.metrics.metric_factories import make, retrieved, score, value
from tests.unit.metrics.policy.policy_factories import policy


@pytest.mark.parametrize(
    ("documents", "expected", "reason"),
    [
        ((), 1.0, ""),
        (("handbook/a.md", "faq.md"), 1.0, ""),
        (("handbook/a.md", "x.md"), 0.0, "not among the allowed: x.md"),
        (("handbook/secret/a.md",), 0.0, "forbidden: handbook/secret/a.md"),
        (
            ("handbook/secret/a.md", "x.md"),
            0.0,
            "forbidden: handbook/secret/a.md; not among the allowed: x.md",
        ),
    ],
)
def test_what_may_not_be_retrieved_is_named(
    documents: tuple[str, ...], expected: float, reason: str
) -> None:
    sample = policy(allowed=("handbook/*", "faq.md"), forbidden=("handbook/secret/*",))

    result = score("allowed_sources", sample, retrieved(*documents))

    assert (result.value, result.reason) == (expected, reason)


def test_what_a_reranker_dropped_was_read_too() -> None:
    output = retrieved("a").amended(first_stage=("a", "secret"))

    assert value("allowed_sources", policy(forbidden=("secret",)), output) == 0.0


@pytest.mark.parametrize("doc_id", ["a[1].md", "a.md?x=1", "a+b (c).md", "^a$", "a|b"])
def test_signs_of_an_id_mean_themselves(doc_id: str) -> None:
    only = policy(allowed=(doc_id,))

    assert value("allowed_sources", only, retrieved(doc_id)) == 1.0
    assert value("allowed_sources", only, retrieved(doc_id + "x")) == 0.0
    assert value("allowed_sources", only, retrieved("b")) == 0.0


@settings(deadline=None)
@given(pattern=st.text("ab*", max_size=6), doc_id=st.text("ab", min_size=1, max_size=6))
def test_stars_mean_what_they_mean_in_the_standard_library(pattern: str, doc_id: str) -> None:
    sample = policy(forbidden=("x", pattern))
    found = value("allowed_sources", sample, retrieved(doc_id)) == 0.0

    assert found is fnmatchcase(doc_id, pattern)


def test_a_star_holds_no_process_up() -> None:
    sample = policy(forbidden=("*a" * 12 + "*b",))
    start = time.process_time()

    assert value("allowed_sources", sample, retrieved("a" * 40)) == 1.0
    assert time.process_time() - start < 1


def test_forbidden_sources_hold_for_unanswerable_questions() -> None:
    sample = policy(forbidden=("secret",)).amended(answerable=False)

    assert value("allowed_sources", sample, retrieved("secret")) == 0.0
    assert make("allowed_sources").info.reads is Reads.RETRIEVAL
