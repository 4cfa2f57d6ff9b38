"""Stored runs beside the commits."""

from pathlib import Path
from typing import Any

from ragate.contrib.history.read_history import stored_points
from ragate.models import Run
from ragate.stores.listed_run import RunFilter
from ragate.stores.local import LocalStore
from tests.factories import record_factory, run_factory

COMMIT = "a" * 40


def stored(state: Path, number: int, **manifest: Any) -> None:
    facts = {"run_id": f"2026010{number}-000000-000-aaaa", "commit": COMMIT, "gate": "docs"}
    run: Run = run_factory([record_factory(scores={"mrr": number / 10})], **(facts | manifest))
    LocalStore(state).save(run)


def found(state: Path, most: int = 9, **conditions: Any) -> list[float]:
    wanted = RunFilter(gate="docs", **conditions)
    points = stored_points(LocalStore(state), wanted, commits=frozenset({COMMIT}), most=most)
    return [point.means["mrr"] for point in points]


def test_runs_of_the_branch_stand_beside_oldest_first(tmp_path: Path):
    stored(tmp_path, 1)
    stored(tmp_path, 2)

    assert found(tmp_path) == [0.1, 0.2]


def test_the_newest_runs_are_meant(tmp_path: Path):
    stored(tmp_path, 1)
    stored(tmp_path, 2)

    assert found(tmp_path, most=1) == [0.2]


def test_runs_are_meant_by_what_was_noted_and_by_their_days(tmp_path: Path):
    stored(tmp_path, 1, meta={"client": "internal"}, created="2026-01-01T00:00:00Z")
    stored(tmp_path, 2, meta={"client": "mcp"}, created="2026-01-02T00:00:00Z")

    assert found(tmp_path, meta={"client": "internal"}) == [0.1]
    assert found(tmp_path, since="2026-01-02") == [0.2]
    assert found(tmp_path, until="2026-01-01") == [0.1]


def test_runs_of_other_commits_gates_and_of_some_samples_do_not_count(tmp_path: Path):
    stored(tmp_path, 1, commit="b" * 40)
    stored(tmp_path, 2, gate="other")
    stored(tmp_path, 3, retrieval_only=True)

    assert found(tmp_path) == []


def test_a_run_with_damaged_scores_is_left_to_the_list_of_runs(tmp_path: Path):
    stored(tmp_path, 1)
    next(tmp_path.glob("runs/*/scores.jsonl")).write_text("{")

    assert found(tmp_path) == []
