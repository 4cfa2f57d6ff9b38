"""Judges: one module each, and the canaries that every judge has to get right."""

from ragate.judges._canaries import Canary, CanaryResult, load_canaries, run_canaries
from ragate.judges._words import CUT

__all__ = ["CUT", "Canary", "CanaryResult", "load_canaries", "run_canaries"]
