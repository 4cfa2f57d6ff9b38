"""Stored runs beside the commits."""

from pathlib import Path
from typing import Any

from ragate.models import Run
from ragate.pipeline.history.read_history import stored_points
from ragate.stores.local import LocalStore
from tests.factories import record_factory, run_factory

COMMIT = "a" * 40


def stored(state: Path, number: int, **manifest: Any) -> None:
    facts = {"run_id": f"2026010{number}-000000-000-aaaa", "commit": COMMIT, "gate": "docs"}
    run: Run = run_factory([record_factory(scores={"mrr": number / 10})], **(facts | manifest))
    LocalStore(state).save(run)


def found(state: Path, most: int = 9) -> list[float]:
    points = stored_points(LocalStore(state), gate="docs", commits=frozenset({COMMIT}), most=most)
    return [point.means["mrr"] for point in points]


def test_runs_of_the_branch_stand_beside_oldest_first(tmp_path: Path):
    stored(tmp_path, 1)
    stored(tmp_path, 2)

    assert found(tmp_path) == [0.1, 0.2]


def test_the_newest_runs_are_meant(tmp_path: Path):
    stored(tmp_path, 1)
    stored(tmp_path, 2)

    assert found(tmp_path, most=1) == [0.2]


def test_runs_of_other_commits_gates_and_of_some_samples_do_not_count(tmp_path: Path):
    stored(tmp_path, 1, commit="b" * 40)
    stored(tmp_path, 2, gate="other")
    stored(tmp_path, 3, retrieval_only=True)

    assert found(tmp_path) == []


def test_a_run_with_damaged_scores_is_left_to_the_list_of_runs(tmp_path: Path):
    stored(tmp_path, 1)
    next(tmp_path.glob("runs/*/scores.jsonl")).write_text("{")

    assert found(tmp_path) == []
