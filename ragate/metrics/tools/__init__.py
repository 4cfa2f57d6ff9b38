"""Metrics on the calls of tools: against the right calls, and against the tools' schemas."""
