"""Labels under criteria that the configuration words: as the judge calls these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ragate.errors import DatasetError

if TYPE_CHECKING:
    from ragate.config import Config
    from ragate.core.judging.own_criterion import OwnCriterion
    from ragate.dataset import Label


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
