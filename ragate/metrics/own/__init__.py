"""Metrics that a configuration words."""
