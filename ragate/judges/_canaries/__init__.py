"""Canaries: answers whose judgement is known, asked of a judge before it is believed.

Plain ones show whether it tells right from wrong, and others whether a text in an answer, a
context or a question can talk it into another verdict. They belong to ragate, not to the change
under test. What their failure voids says `voided` in `ragate.core.judging.canary_rule`.
"""

from ragate.judges._canaries.asking import (
    CanaryQuestion,
    canaries_for,
    dress,
    run_canaries,
    unchecked,
)
from ragate.judges._canaries.known_answers import Canary, Wording, planted, wordings

__all__ = [
    "Canary",
    "CanaryQuestion",
    "Wording",
    "canaries_for",
    "dress",
    "planted",
    "run_canaries",
    "unchecked",
    "wordings",
]
