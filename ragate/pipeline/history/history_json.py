"""A history as JSON: every point, every move, every stored run."""

import json
from collections.abc import Sequence
from typing import Any

from ragate.pipeline.history.moves import Move, drift, metric_names, moves
from ragate.pipeline.history.read_history import History, HistoryPoint
from ragate.pipeline.history.stored_runs import StoredPoint


def as_json(history: History, metrics: Sequence[str], *, window: int) -> str:
    """Return every point, and every move of each metric; a mean that is not there is absent.

    Args:
        window: Days.
    """
    names = list(metrics) or metric_names(history)
    by_metric: dict[str, Any] = {
        name: {
            "drift": drift(history, name),
            "window_drift": drift(history, name, days=window),
            "moves": [_move_facts(move) for move in moves(history, name)],
        }
        for name in names
    }
    facts = {
        "schema_version": 1,
        "gate": history.gate,
        "path": history.path,
        "notes": list(history.notes),
        "window_days": window,
        "points": [_point_facts(point, names) for point in history.points],
        "metrics": by_metric,
        "runs": [_run_facts(run, names) for run in history.runs],
    }
    return json.dumps(facts, indent=2, allow_nan=False)


def _point_facts(point: HistoryPoint, names: Sequence[str]) -> dict[str, Any]:
    held = point.held
    return {
        "commit": point.commit.commit,
        "date": point.commit.date,
        "subject": point.commit.subject,
        "samples": held.samples if held else None,
        "means": {name: held.means[name] for name in names if name in held.means} if held else {},
        "marks": list(point.marks),
        "problem": point.problem,
    }


def _move_facts(move: Move) -> dict[str, Any]:
    figures = {"before": move.before, "after": move.after, "change": move.change}
    return {"commit": move.commit.commit, **figures}


def _run_facts(run: StoredPoint, names: Sequence[str]) -> dict[str, Any]:
    means = {name: value for name, value in run.means.items() if name in names}
    where = {"run_id": run.run_id, "commit": run.commit, "created": run.created}
    return {**where, "status": run.status, "means": means}
