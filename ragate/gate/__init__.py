"""From scores to a verdict and its report.

A run with its records and a setup go in, a report comes out. Read `gate_setup.py` for the setup
(policy, golden set, baseline), `compare_and_decide.py` for the verdict, and `gate_report.py` for
all that is said of it. Nothing is asked here, and nothing is paid for.
"""
