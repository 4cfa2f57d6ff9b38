"""Metrics, one file each; the name is the identity."""
