"""How many more passes of the candidate would make its verdict final."""

from collections.abc import Mapping

from ragate.core.comparison.compare import Comparison
from ragate.core.rules.metric_case import RuleOutcome
from ragate.core.rules.noisy.decide_noisy import FamilyResult, stages_of
from ragate.core.statistics.looks import SUSPICIOUS, fast_level
from ragate.models import DecisionSettings, MetricVerdict, Reads


def runs_wanted(
    outcomes: Mapping[str, RuleOutcome],
    family: FamilyResult,
    comparison: Comparison,
    settings: DecisionSettings,
) -> int:
    """Return the passes that are missing, 0 where the verdict is final.

    A suspicious family is confirmed, unless it is red so clearly that one look was enough, or no
    runs can follow: outputs in files, a recorded system that holds no more. There the one look had
    the whole of alpha.
    """
    suspicious = family.p <= SUSPICIOUS and not is_clear(outcomes, family, settings)
    if suspicious and not _repeats_exactly(comparison):
        return stages_of(comparison, settings).still_wanted(comparison.candidate.repeats)
    return 0


def is_clear(
    outcomes: Mapping[str, RuleOutcome], family: FamilyResult, settings: DecisionSettings
) -> bool:
    """Return whether a metric of the family is red at the level of the first look."""
    level = fast_level(settings.alpha)
    rows = [outcomes[name].row for name in family.tested]
    return any(
        row is not None
        and row.verdict is MetricVerdict.REGRESSED
        and row.p is not None
        and row.p <= level
        for row in rows
    )


def clear_note(
    outcomes: Mapping[str, RuleOutcome],
    family: FamilyResult,
    comparison: Comparison,
    settings: DecisionSettings,
) -> tuple[str, ...]:
    """Return why a red candidate was not confirmed, where it could have been."""
    missing = stages_of(comparison, settings).still_wanted(comparison.candidate.repeats)
    if not missing or not is_clear(outcomes, family, settings):
        return ()
    rare = f"at most 1 run of {round(1 / fast_level(settings.alpha)):,}"
    return (f"not repeated, since it is clear: an unchanged system looks like this in {rare}",)


def _repeats_exactly(comparison: Comparison) -> bool:
    """Whether answers are declared to repeat, by the system or the policy: runs add nothing."""
    declared = comparison.candidate_run.manifest.system.deterministic
    return Reads.ANSWER in declared | comparison.repetition.exact
