"""Scores of other evaluators."""
