"""Runs that are stored: looked at, compared and explained, without asking anything.

A run's folder or its row in the run store comes in; a report, a table or a page goes out. Read
`compare_stored.py` for two runs side by side, `run_details.py` for what a page shows of every
sample, and `explain_sample.py` for one of them.
"""
