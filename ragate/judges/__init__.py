"""Judges: one module each, and the canaries that every judge has to get right."""

from ragate.judges._canaries import Canary, CanaryResult, load_canaries, run_canaries

__all__ = ["Canary", "CanaryResult", "load_canaries", "run_canaries"]
