"""Whether the system refuses what it should, and only that."""
