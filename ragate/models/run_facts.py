"""What a run took, what its symptoms say, and when the gate was last proved."""

from ragate.models.base import Frozen


class Diagnosis(Frozen):
    """One row of the symptom table that fits this run."""

    symptom: str
    likely_cause: str
    action: str


class RunFacts(Frozen):
    """Counts and costs of the run, for the line under the verdict.

    Attributes:
        unjudged: Answerable samples without an expected document; others have none to be judged.
        calls_reused, verdicts_reused: Answers, and verdicts of the judge, that were there already.
        saved_usd: What reused answers cost when they were made, as far as that is known.
    """

    samples: int = 0
    affected: int | None = None
    reused: int | None = None
    unjudged: int = 0
    errors: int = 0
    unscored: int = 0
    model_calls: int = 0
    calls_reused: int = 0
    verdicts_reused: int = 0
    cost_usd: float | None = None
    saved_usd: float = 0.0
    duration_s: float | None = None


class DrillProof(Frozen):
    """When the gate last proved that it can fail, and how many planted breaks it caught."""

    date: str
    caught: int
    planted: int
