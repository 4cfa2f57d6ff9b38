"""The index in Postgres: its tables, what fills them, and its file."""
