"""Recorded outputs as JSON lines: the cut between collect and decide, and what replay reads."""
