"""``ragate calibrate --reviews``: every metric of a stored run against what people said."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from ragate.cli.calibration import FEW
from ragate.cli.finding import plural
from ragate.cli.operations import open_config
from ragate.errors import UsageError
from ragate.support.escape import one_line, plain

if TYPE_CHECKING:
    from ragate.core.judging.review_agreement import ReviewAgreement
    from ragate.pipeline.reviewed_scores import ReviewedScores


def calibrate_by_reviews(
    config: Path | None, reviews: Path, run: str
) -> tuple[str, ReviewedScores]:
    """Return the run's id, and how its metrics agree with the labels of a file.

    Raises:
        DatasetError: a line is no label.
        UsageError: there is no such run, or no baseline.
    """
    from ragate.dataset import read_review_labels
    from ragate.pipeline.decide.gate_setup import load_baseline_or_none
    from ragate.pipeline.reviewed_scores import reviewed_scores
    from ragate.stores.postgres.open_store import open_store

    loaded, operations = open_config(config)
    labels = read_review_labels(reviews)
    store = open_store(operations.state, operations.runs_url)
    folder = store.find(run)
    baseline = load_baseline_or_none(loaded)
    if baseline is None:
        raise UsageError(
            f"{loaded.baseline}: no baseline, so no change of a score to compare with",
            remedy="record one with `ragate baseline update`",
        )
    return folder.name, reviewed_scores(baseline, store.load(folder), labels)


def review_table(run: str, found: ReviewedScores) -> str:
    """Return the figures of each metric, and which labels were left out."""
    lines = [f"Metrics of {run} against {plural(found.labels, 'label')} of people", ""]
    head = ("labels", "agree", "kappa", "worse found", "false alarms")
    lines.append(f"{'metric':<26}" + "".join(f"{name:>{_width(name)}}" for name in head))
    lines += [_row(name, agreement) for name, agreement in found.agreements.items()]
    if found.elsewhere:
        lines.append(
            f"\n{plural(found.elsewhere, 'label')} of outputs that are not in this pair of runs"
        )
    if found.stale:
        lines.append(
            f"\n{plural(found.stale, 'label')} of stale references: `ragate dataset validate`"
        )
    if found.labels < FEW:
        lines.append(f"\ntoo few labels for figures to lean on; take {FEW} or more")
    return plain("\n".join(lines))


def review_json(run: str, found: ReviewedScores) -> str:
    """Return the figures as one JSON object."""
    return json.dumps({"run": run, **asdict(found)}, indent=2, ensure_ascii=False)


def _width(name: str) -> int:
    return max(9, len(name) + 2)


def _row(name: str, figures: ReviewAgreement) -> str:
    shares = (figures.agreement, figures.kappa)
    first = "".join(f"{'-' if share is None else f'{share:.3f}':>9}" for share in shares)
    found = f"{figures.found} of {figures.worse}"
    alarms = f"{figures.false_alarms} of {figures.others}"
    return f"{one_line(name, 25):<26}{figures.n:>9}{first}{found:>13}{alarms:>14}"
