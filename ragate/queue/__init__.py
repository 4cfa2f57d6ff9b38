"""Blocks of a plan in Postgres: Procrastinate hands them out, workers append what came of them."""
