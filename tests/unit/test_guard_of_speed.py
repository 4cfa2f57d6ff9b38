"""The guard of speed and the age of results: what a count means, and what a result names."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.call_counts import COUNTS, PARTS, read, verdict
from benchmarks.results_age import ROOT, changed_since, measured_code
from tests.unit.whole import of_the_whole


def test_a_count_within_fifteen_percent_is_good() -> None:
    assert verdict("help", 1150, 1000) == (True, "help: 1,150 calls, committed 1,000 (+15.0%)")


def test_a_count_above_says_by_how_much_and_how_to_accept_it() -> None:
    near, said = verdict("help", 1151, 1000)

    assert not near
    assert "help: 1,151 calls, committed 1,000 (+15.1%): more than 15% above" in said
    assert "python -m benchmarks.call_counts --accept help" in said
    assert COUNTS.name in said


def test_a_count_far_below_is_good_and_should_be_kept() -> None:
    near, said = verdict("help", 900, 1000)

    assert near
    assert "`--accept help` keeps it there" in said


def test_every_committed_count_says_what_it_bought() -> None:
    counts = read()

    assert len(counts) == 5
    assert all(calls > 0 and why for calls, why in counts.values())
    assert len(PARTS) == 3


@pytest.mark.parametrize(
    "result", sorted((ROOT / "benchmarks/results").glob("*.txt")), ids=lambda path: path.stem
)
@of_the_whole
def test_a_result_names_the_commit_and_the_code_that_it_measured(result: Path) -> None:
    commit, paths = measured_code(result)

    assert commit
    assert paths


@pytest.mark.parametrize("first", ["some figures", "commit abcdef12; measures: ragate/gone.py"])
def test_a_result_that_names_no_code_is_told(first: str, tmp_path: Path) -> None:
    result = tmp_path / "speed.txt"
    result.write_text(f"{first}\n")

    with pytest.raises(ValueError, match=r"^speed\.txt: "):
        measured_code(result)


def test_a_commit_that_is_not_there_is_said_and_nothing_fails() -> None:
    assert changed_since("0123456789", ["ragate"]) == "commit 0123456789 is not in this clone"
