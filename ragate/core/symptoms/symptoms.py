"""What a run's figures point to, said by the rules that hold."""

from collections.abc import Sequence

from ragate.core.diagnosis.system_changes import NOT_COMPARED, SystemChanges
from ragate.core.symptoms.run_figures import RunFigures
from ragate.core.symptoms.symptom_rules import SYMPTOM_RULES, SymptomRule
from ragate.models import Diagnosis, MetricRow, SampleRow


def symptoms(
    rows: Sequence[MetricRow],
    *,
    samples: Sequence[SampleRow] = (),
    changes: SystemChanges = NOT_COMPARED,
) -> tuple[Diagnosis, ...]:
    """Return the rows of the symptom table that fit, most telling first.

    A rule speaks only where its metrics were measured. A mean counts as low below the limit of its
    family, or where the metric fell against the baseline.

    Args:
        rows: The metrics of the decision.
        samples: Changed samples with their causes, for a rule on where most flips came from.
        changes: What differs between the two systems: named first where a metric was lost.
    """
    run = RunFigures(rows, samples, changes)
    return tuple(
        _diagnosis(rule, run)
        for rule in SYMPTOM_RULES
        if (rule.beside_all_low or not run.all_low) and rule.holds(run)
    )


def _diagnosis(rule: SymptomRule, run: RunFigures) -> Diagnosis:
    said = rule.says(run)
    shown = "; ".join(run.readings[name].words for name in rule.shows if name in run.readings)
    return said.amended(symptom=f"{said.symptom}: {shown}") if shown else said
