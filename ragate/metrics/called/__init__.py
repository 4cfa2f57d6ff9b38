"""Metrics on calls of tools that a judge gives."""
