"""What a report says of causes: the symptoms of the run, and what is wrong with single samples."""

from collections.abc import Sequence

from ragate.core.comparison.own_passes import newest_run
from ragate.core.diagnosis.system_changes import system_changes
from ragate.core.symptoms.advice import advice_for
from ragate.core.symptoms.standing_faults import standing_faults
from ragate.core.symptoms.symptoms import symptoms
from ragate.models import Diagnosis, SampleRow
from ragate.pipeline.decide.compare_and_decide import Decided

# Of a system that never answered, no figure tells anything else.
_ALL_FAILED = Diagnosis(
    symptom="every sample failed",
    likely_cause="the system cannot be reached, does not start, or refuses every question",
    action="mend this first, nothing else here means anything yet: `ragate doctor --ask` asks it "
    "one question and shows what comes back",
)


def diagnoses(decided: Decided, changed: Sequence[SampleRow]) -> tuple[Diagnosis, ...]:
    """Return the rows of the symptom table that fit, then those of single samples.

    Args:
        changed: Changed samples with their causes.
    """
    if decided.comparison.all_failed:
        return (_ALL_FAILED,)
    baseline, candidate = decided.setup.baseline, newest_run(decided.candidate)
    changes = system_changes(baseline.manifest if baseline else None, candidate.manifest)
    standing = standing_faults(
        candidate.records,
        baseline.records if baseline else (),
        candidate.manifest.metrics,
        advice_for(has_model=changes.has_model, keys=changes.keys),
    )
    return (*symptoms(decided.decision.metrics, samples=changed, changes=changes), *standing)
