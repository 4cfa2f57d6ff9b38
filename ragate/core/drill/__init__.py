"""Breaks planted on purpose, and which of them a gate catches."""
