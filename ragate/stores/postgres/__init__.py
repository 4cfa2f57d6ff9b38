"""Runs in a Postgres that several machines share; imported only where its URL is set."""
