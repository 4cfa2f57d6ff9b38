"""Judges: one module each, and the canaries that every judge has to get right."""

from ragate.judges._asking import CUT
from ragate.judges._canaries import (
    Canary,
    CanaryResult,
    canaries_for,
    load_canaries,
    run_canaries,
    unchecked,
)
