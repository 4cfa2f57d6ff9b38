"""Somebody else's scores: files of any evaluator as runs that the gate compares.

A file is opened by its content (`score_file.py`), known as the work of one tool (`formats.py`, data
only) and read row by row (`read_rows.py`). The rows of one side become a table of arrays
(`score_table.py`), and the table a run (`table_run.py`). What the names of metrics mean stands in
`known_metrics.py`; what two sides show that did not measure, in `did_not_run.py`; the verdict on
two sides of files, in `ragate/gate/gate_files.py`.
"""
