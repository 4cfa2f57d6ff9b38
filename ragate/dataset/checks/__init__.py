"""Tools for golden sets: checking, growing and mending them. Labels are a person's to give.

A golden set goes in, with the corpus where its texts are known; issues, proposals or drafts come
out, and what a person accepted is written. Read `validate.py`, `suggest.py` and `drafting.py`; each
other module is the work of the command of its name.
"""
