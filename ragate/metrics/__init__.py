"""Metrics, one file each; the name is the identity."""

FAMILIES = ("retrieval", "reference", "grounding", "refusal", "tools", "judge", "run", "own")
