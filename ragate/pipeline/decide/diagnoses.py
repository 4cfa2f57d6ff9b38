"""What a report says of causes: the symptoms of the run, and what is wrong with single samples."""

from collections.abc import Sequence

from ragate.core.comparison.own_passes import newest_run
from ragate.core.diagnosis.system_changes import system_changes
from ragate.core.symptoms.advice import advice_for
from ragate.core.symptoms.standing_faults import standing_faults
from ragate.core.symptoms.symptoms import symptoms
from ragate.models import Diagnosis, SampleRow
from ragate.pipeline.decide.compare_and_decide import Decided


def diagnoses(decided: Decided, changed: Sequence[SampleRow]) -> tuple[Diagnosis, ...]:
    """Return the rows of the symptom table that fit, then those of single samples.

    Args:
        changed: Changed samples with their causes.
    """
    baseline, candidate = decided.setup.baseline, newest_run(decided.candidate)
    changes = system_changes(baseline.manifest if baseline else None, candidate.manifest)
    standing = standing_faults(
        candidate.records,
        baseline.records if baseline else (),
        candidate.manifest.metrics,
        advice_for(has_model=changes.has_model),
    )
    return (*symptoms(decided.decision.metrics, samples=changed, changes=changes), *standing)
