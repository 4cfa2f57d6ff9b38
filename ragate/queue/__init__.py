"""Blocks of a plan in Postgres: Procrastinate hands them out, workers append what came of them.

The blocks of a plan go in, and outputs and errors come out. Read `submission.py` for whoever
submits, `engine_worker.py` for whoever works, and `tables.py` for what lies in between. What a
worker's role may write stands in `ragate.database.roles_sql`.
"""
