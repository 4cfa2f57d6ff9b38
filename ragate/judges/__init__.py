"""Judges: one module each, and the canaries that every judge has to get right.

A sample with its output and names of criteria come in, and one score a criterion goes out. Read
`rubric/_judge.py`, `_asking.py` for what judges share, and `_canaries/asking.py`, which asks a
judge what is known before it is believed.
"""

from ragate.judges._asking import CUT
from ragate.judges._canaries.asking import run_canaries
from ragate.judges._canaries.known_answers import Canary, Wording, planted, wordings
from ragate.judges._canaries.questions import CanaryQuestion, canaries_for, dress, unchecked
