"""What doctor says of the baseline: its origin, its size, and how much of it still fits."""

from __future__ import annotations

import pytest

from ragate.cli.doctor import baseline_file, personal_data
from ragate.cli.finding import Status
from ragate.models import MetricInfo, Reads
from tests.unit.cli.doctor.doctor_factories import run_of, said, sample, samples, statuses


def test_the_baseline_says_where_it_comes_from() -> None:
    found = baseline_file.baseline_file(
        run_of(samples()), path="b.json", size=10, today_system="pgvector"
    )

    assert statuses(found) == ["ok"]
    assert "b.json: 30 samples, 3 runs (0 identical to another), recorded 2026-11-20" in (
        found[0].message
    )


@pytest.mark.parametrize(
    ("size", "limit"), [(5_000_000, ""), (5_000_001, "5 MB"), (50_000_001, "50 MB")]
)
def test_a_large_baseline_is_warned_of(size: int, limit: str) -> None:
    found = baseline_file.baseline_file(
        run_of(samples()), path="b", size=size, today_system="pgvector"
    )

    assert len(found) == 1 + bool(limit)
    assert limit in said(found, Status.WARNING)


def test_a_baseline_of_another_system_is_warned_of() -> None:
    found = baseline_file.baseline_file(run_of(samples()), path="b", size=1, today_system="replay")

    assert "'pgvector'" in said(found, Status.WARNING)


def test_one_run_of_a_system_that_does_not_repeat_is_warned_of() -> None:
    noisy = run_of(samples(), runs=1, deterministic=frozenset({Reads.RETRIEVAL}))
    exact = run_of(samples(), runs=1)

    assert len(baseline_file.baseline_file(noisy, path="b", size=1, today_system="pgvector")) == 2
    assert len(baseline_file.baseline_file(exact, path="b", size=1, today_system="pgvector")) == 1


def test_below_four_fifths_of_matched_samples_nothing_is_compared() -> None:
    run = run_of(samples(10))

    assert statuses(baseline_file.matched(run, samples(10))) == ["ok"]
    assert statuses(baseline_file.matched(run, samples(8))) == ["warning"]
    assert [one.exit_code for one in baseline_file.matched(run, samples(7))] == [3]


def test_edited_removed_and_new_samples_are_counted() -> None:
    now = [*samples(10)[2:], sample("q1", query="Another question?"), sample("new")]

    found = baseline_file.matched(run_of(samples(10)), now)

    assert "8 of 10 recorded samples" in found[0].message
    assert "(1 edited, 1 removed, 1 new)" in found[0].message


def test_an_empty_baseline_matches_nothing() -> None:
    assert [one.exit_code for one in baseline_file.matched(run_of([]), samples(3))] == [3]


def test_a_gated_metric_of_another_version_is_a_problem_and_a_shown_one_a_warning() -> None:
    then = {
        "a": MetricInfo(name="a", fingerprint="1"),
        "b": MetricInfo(name="b", fingerprint="1"),
    }
    now = {
        "a": MetricInfo(name="a", fingerprint="2"),
        "b": MetricInfo(name="b", fingerprint="1"),
        "c": MetricInfo(name="c"),
        "seconds": MetricInfo(name="seconds", unit="seconds"),
    }

    found = baseline_file.comparable(run_of(samples(), metrics=then), now, ["a", "b"])

    assert "does not hold c" in said(found, Status.WARNING)
    assert "another version of a" in said(found, Status.PROBLEM)
    assert sorted(one.exit_code for one in found) == [0, 3]


def test_too_few_samples_for_the_test_of_a_noisy_system_are_warned_of() -> None:
    infos = {"m": MetricInfo(name="m", reads=Reads.ANSWER)}
    noisy = run_of(samples(4), deterministic=frozenset({Reads.RETRIEVAL}))

    assert statuses(baseline_file.enough(noisy, infos, {"m": samples(4)}, ["m"], losses=5)) == [
        "warning"
    ]
    assert baseline_file.enough(noisy, infos, {"m": samples(5)}, ["m"], losses=5) == []
    assert baseline_file.enough(run_of(samples(4)), infos, {"m": samples(4)}, ["m"], losses=5) == []
    few = {"m": samples(4)}
    assert baseline_file.enough(noisy, infos, few, ["m"], losses=5, repeats=[Reads.ANSWER]) == []


@pytest.mark.parametrize(
    "text",
    [
        "Write to anna.meier@kanzlei-meier.de [1].",
        "Call +49 30 901820 today.",
        "Her number is (555) 123-4567.",
        "Tel. 01 23 45 67 89",
    ],
)
def test_text_that_looks_personal_is_counted_and_not_shown(text: str) -> None:
    found = personal_data.personal_data([text, "Refunds end after 30 days."], store="answers")

    assert statuses(found) == ["warning"]
    assert "of 2 stored texts" in found[0].message
    for part in ("meier", "901820", "4567", "67 89"):
        assert part not in repr(found)


@pytest.mark.parametrize(
    "text",
    [
        "Write to you@example.com or to a@b.test.",
        "On 2026-11-21 at 10 the run 20261121-134501-3f9c began.",
        "The server is 192.168.100.200, port 5432.",
        "Pin actions/checkout@v5.0.0 and set ndcg@10.",
        "Between 1200 and 1400 documents, 0.505 to 0.745.",
        "postgresql://ragate:ragate@localhost:5432/ragate",
    ],
)
def test_text_of_a_manual_does_not_look_personal(text: str) -> None:
    assert statuses(personal_data.personal_data([text], store="answers")) == ["ok"]


def test_a_baseline_of_hashes_holds_no_texts() -> None:
    assert statuses(personal_data.personal_data([], store="hashes")) == ["ok"]
