"""Metrics, one file each; the name is the identity."""

FAMILIES = (
    "retrieval",
    "reference",
    "grounding",
    "embedding",
    "policy",
    "refusal",
    "checks",
    "tools",
    "judge",
    "called",
    "claims",
    "run",
    "variants",
    "churn",
    "own",
)
