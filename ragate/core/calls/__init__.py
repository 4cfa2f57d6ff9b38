"""Calls of tools held against the right ones."""
