"""Metrics, one file each; the name is the identity."""

FAMILIES = (
    "retrieval",
    "reference",
    "grounding",
    "embedding",
    "refusal",
    "tools",
    "judge",
    "run",
    "own",
)
