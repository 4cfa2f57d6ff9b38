"""Samples and passes, found by key."""

from __future__ import annotations

from ragate.core.lookup import Lookup, NamedSamples, SampleTries, passes_of, samples_by_id
from ragate.models import Turn
from tests.factories import sample_factory
from tests.unit.core.record_rows import records


def test_a_lookup_reads_only_what_it_is_asked_for() -> None:
    found = Lookup(["a", "b"], {"x": 1})

    assert found["x"] == "b"
    assert "x" in found
    assert found.get("y") is None
    assert dict(found) == {"x": "b"}
    assert len(found) == 1
    assert samples_by_id([sample_factory("q2"), sample_factory("q1")])["q1"].id == "q1"


def test_passes_are_found_whatever_the_order_of_their_records() -> None:
    found = records(3, runs=2)

    passes = passes_of([*found[1::2], *found[0:4:2]])
    tries = SampleTries(passes)

    assert [sorted(each) for each in passes] == [["q0", "q1"], ["q0", "q1", "q2"]]
    assert [one.run for one in tries["q0"]] == [0, 1]
    assert [one.run for one in tries["q2"]] == [1]
    assert sorted(tries) == ["q0", "q1", "q2"]
    assert len(tries) == 3
    assert "q3" not in tries
    assert tries.get("q3", ()) == ()


def test_a_sample_is_found_by_its_id_else_by_its_question() -> None:
    later = sample_factory("q2", query="And  why?", messages=(Turn(role="user", content="Hi."),))
    named = NamedSamples([sample_factory("q1", query="What is it?"), later])

    assert named.find("q2", "What is it?") is not None
    assert (named.find("q2", "What is it?") or later).id == "q2"
    assert (named.find("of a trace", "What  is it?") or later).id == "q1"
    assert named.find("", "And why?") is None  # it may follow anything
