"""Metrics, one file each; the name is the identity."""

FAMILIES = (
    "retrieval",
    "reference",
    "grounding",
    "embedding",
    "policy",
    "refusal",
    "tools",
    "judge",
    "run",
    "own",
)
