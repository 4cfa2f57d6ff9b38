"""Files of rows that people and tools write, read in one place.

`containers.py` opens a file by what is in it, `cells.py` reads what a cell holds, and `names.py`
knows what people call a question, a right answer and their like. Golden sets, outputs and scores
are views of these rows.
"""
