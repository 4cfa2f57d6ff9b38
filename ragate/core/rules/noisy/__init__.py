"""Metrics with noise: one test for the family, one row for each."""
