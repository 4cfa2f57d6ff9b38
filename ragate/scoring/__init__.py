"""From outputs to scores: metrics, and the judge.

Outputs go in while they arrive, a run with its records comes out. Read `scorer.py` for the whole,
`metric_records.py` for one metric on one output, and `judging.py` for how the judge is asked once
for each distinct output and never for what is known already.
"""
