"""Judges: one module each, and the canaries that every judge has to get right."""

from ragate.judges._asking import CUT
from ragate.judges._canaries import (
    Canary,
    CanaryQuestion,
    Wording,
    canaries_for,
    dress,
    planted,
    run_canaries,
    unchecked,
    wordings,
)
