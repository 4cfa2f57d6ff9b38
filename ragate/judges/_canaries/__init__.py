"""Canaries: answers whose judgement is known, asked of a judge before it is believed.

Plain ones show whether it tells right from wrong, and others whether a text in an answer, a
context or a question can talk it into another verdict. They belong to ragate, not to the change
under test.
"""

from ragate.judges._canaries.asking import run_canaries
from ragate.judges._canaries.dress import dress
from ragate.judges._canaries.known_answers import Canary
from ragate.judges._canaries.plan import CanaryQuestion, canaries_for, unchecked
from ragate.judges._canaries.wordings import Wording, planted, wordings

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
