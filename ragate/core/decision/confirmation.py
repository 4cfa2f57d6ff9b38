"""How many more passes of the candidate would make its verdict final."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ragate.core.comparison.compare import Comparison
from ragate.core.rules.metric_case import RuleOutcome
from ragate.core.rules.noisy.decide_noisy import FamilyResult, stages_of
from ragate.core.statistics.looks import SUSPICIOUS, fast_level
from ragate.models import DecisionSettings, MetricVerdict


@dataclass(frozen=True)
class FamilyLook:
    """One family as it was looked at: the metrics over the whole set, or the slices.

    Attributes:
        settings: With the family's share of alpha.
        suspicious: The level from which on it asks for more passes.
    """

    outcomes: Mapping[str, RuleOutcome]
    family: FamilyResult
    settings: DecisionSettings
    suspicious: float = SUSPICIOUS


def runs_wanted(looks: Sequence[FamilyLook], comparison: Comparison) -> int:
    """Return the passes that are missing, 0 where the verdict is final.

    A suspicious family is confirmed, unless it is red so clearly that one look was enough, or no
    runs can follow: outputs in files, a recorded system that holds no more. There the one look had
    the whole of alpha.
    """
    suspicious = any(look.family.p <= look.suspicious for look in looks)
    if suspicious and not _clear(looks):
        stages = stages_of(comparison, looks[0].settings)
        return stages.still_wanted(comparison.candidate.repeats)
    return 0


def _clear(looks: Sequence[FamilyLook]) -> FamilyLook | None:
    """Return the first family that is red at the level of the first look."""
    return next((look for look in looks if is_clear(look)), None)


def is_clear(look: FamilyLook) -> bool:
    """Return whether a metric of the family is red at the level of the first look."""
    level = fast_level(look.settings.alpha)
    rows = [look.outcomes[name].row for name in look.family.tested]
    return any(
        row is not None
        and row.verdict is MetricVerdict.REGRESSED
        and row.p is not None
        and row.p <= level
        for row in rows
    )


def clear_note(looks: Sequence[FamilyLook], comparison: Comparison) -> tuple[str, ...]:
    """Return why a red candidate was not confirmed, where it could have been."""
    stages = stages_of(comparison, looks[0].settings)
    look = _clear(looks) if stages.still_wanted(comparison.candidate.repeats) else None
    if look is None:
        return ()
    rare = f"at most 1 run in {round(1 / fast_level(look.settings.alpha)):,}"
    return (f"too clear to need another run: an unchanged system looks like this in {rare}",)
