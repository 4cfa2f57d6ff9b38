"""Metrics, one file each; the name is the identity."""

FAMILIES = ("retrieval", "reference", "grounding", "refusal", "judge", "run", "own")
