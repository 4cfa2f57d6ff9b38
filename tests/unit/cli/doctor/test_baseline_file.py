"""What doctor says of the baseline: its origin, its size, and how much of it still fits."""

from __future__ import annotations

from ragate.cli.doctor import examine
from ragate.cli.finding import Status
from ragate.models import MetricInfo
from tests.unit.cli.doctor.doctor_factories import run_of, said, sample, samples, statuses


def test_the_baseline_says_where_it_comes_from() -> None:
    found = examine.origin(run_of(samples()), path="b.json")

    assert found.status is Status.OK
    assert "b.json: 30 samples, 3 runs (0 identical to another), recorded 2026-11-20" in (
        found.message
    )


def test_below_four_fifths_of_matched_samples_nothing_is_compared() -> None:
    run = run_of(samples(10))

    assert examine.matched(run, samples(10)).status is Status.OK
    assert examine.matched(run, samples(8)).status is Status.OK
    assert examine.matched(run, samples(7)).exit_code == 3


def test_edited_removed_and_new_samples_are_counted() -> None:
    now = [*samples(10)[2:], sample("q1", query="Another question?"), sample("new")]

    found = examine.matched(run_of(samples(10)), now)

    assert "8 of 10 recorded samples" in found.message
    assert "(1 edited, 1 removed, 1 new)" in found.message


def test_an_empty_baseline_matches_nothing() -> None:
    assert examine.matched(run_of([]), samples(3)).exit_code == 3


def test_gated_metrics_that_are_absent_or_of_another_version_are_a_problem() -> None:
    then = {name: MetricInfo(name=name, fingerprint="1") for name in ("a", "b")}
    now = {
        "a": MetricInfo(name="a", fingerprint="2"),
        "b": MetricInfo(name="b", fingerprint="1"),
        "c": MetricInfo(name="c"),
        "shown": MetricInfo(name="shown"),
        "seconds": MetricInfo(name="seconds", unit="seconds"),
    }
    run = run_of(samples(), metrics=then)

    found = list(examine.comparable(run, now, ["a", "b", "c", "seconds"]))

    assert [one.exit_code for one in found] == [3]
    assert "another version of a, the baseline has no c:" in said(found, Status.PROBLEM)
    assert statuses(list(examine.comparable(run, now, ["b", "seconds"]))) == ["ok"]


def test_a_baseline_that_git_does_not_have_is_pointed_out() -> None:
    def found(*, tracked: bool | None, ignored: bool | None) -> list[str]:
        return statuses(list(examine.committed("b.json", tracked=tracked, ignored=ignored)))

    assert found(tracked=True, ignored=False) == found(tracked=None, ignored=None) == []
    assert found(tracked=False, ignored=False) == ["warning"]
    assert found(tracked=False, ignored=True) == ["problem"]
