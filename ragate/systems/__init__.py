"""Systems under test, one file (or package) a kind.

A sample comes in, and an output goes out: passages in rank order, an answer, calls of tools. Read
`python.py` for a whole system, `_output.py`, where what foreign code returned becomes an output,
and `_worker.py`, in which code of the project runs.
"""
