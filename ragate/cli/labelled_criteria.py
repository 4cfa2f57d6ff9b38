"""Labels under criteria as the judge calls them, and what its scores say beside them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ragate.errors import DatasetError

if TYPE_CHECKING:
    from ragate.config import Config
    from ragate.core.judging.judge_agreement import CalibrationReport
    from ragate.core.judging.own_criterion import OwnCriterion
    from ragate.dataset import Label
    from ragate.models import Score

Scores = list[list["Score"]]  # by label, its judgements


def with_identities(config: Config, labels: Sequence[Label]) -> list[Label]:
    """Return the labels under what the judge calls criteria that the configuration words.

    Raises:
        DatasetError: a grade is not on the scale of such a criterion.
    """
    known = own_criteria(config)
    named = []
    for label in labels:
        identity, own = known.get(label.criterion, (label.criterion, None))
        grade = label.label
        if own is not None and not isinstance(grade, bool) and not own.holds(grade):
            low, high = own.scale
            raise DatasetError(
                f"label {label.sample.id!r}: {grade:g} is not on the scale of {label.criterion}: "
                f"whole numbers from {low} to {high}"
            )
        named.append(replace(label, criterion=identity))
    return named


def own_criteria(config: Config) -> dict[str, tuple[str, OwnCriterion]]:
    """Return what the judge calls each criterion that the configuration words, and the words."""
    from ragate.core.judging.own_criterion import OwnCriterion, identity, is_own

    words = {
        name: OwnCriterion.model_validate(table)
        for name, table in config.metric_settings.items()
        if is_own(name)
    }
    return {name: (identity(name, own), own) for name, own in words.items()}


def compared(
    config: Config, labels: Sequence[Label], scores: Scores
) -> dict[str, CalibrationReport]:
    """Return a report for each criterion, in the order of the labels."""
    from ragate.core.judging.judge_agreement import calibrate
    from ragate.core.judging.own_criterion import shown_name

    reports = {}
    for criterion in dict.fromkeys(label.criterion for label in labels):
        rows = [
            (label.label, [score.value for score in judged_scores])
            for label, judged_scores in zip(labels, scores, strict=True)
            if label.criterion == criterion
        ]
        reports[shown_name(criterion)] = calibrate(
            [label for label, _ in rows],
            [judged_scores[0] for _, judged_scores in rows],
            [judged_scores for _, judged_scores in rows],
            pass_at=pass_mark(config, shown_name(criterion)),
        )
    return reports


def pass_mark(config: Config, criterion: str) -> float:
    """Return the metric's own mark; without one, 4 of 1 to 5, and 0.5 for a fraction."""
    from ragate.core.judging.criteria import CRITERIA

    for rule in config.policy.metrics:
        if rule.metric == criterion and rule.pass_at is not None:
            return rule.pass_at
    if criterion in (own := own_criteria(config)):
        return own[criterion][1].usual_mark
    criterion_info = CRITERIA.get(criterion)
    return 4.0 if criterion_info is not None and criterion_info.unit == "grade" else 0.5
