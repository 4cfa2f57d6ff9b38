"""The figures of a run that become its baseline's."""

from __future__ import annotations

from ragate.models import Run


def run_means(run: Run) -> dict[str, float]:
    """Return the mean of every metric over all samples and runs, sorted by name."""
    values: dict[str, list[float]] = {}
    for scores in [*(record.scores for record in run.records), *run.aggregates]:
        for name, score in scores.items():
            if score.value is not None:
                values.setdefault(name, []).append(score.value)
    return {name: sum(column) / len(column) for name, column in sorted(values.items())}
