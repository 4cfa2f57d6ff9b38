"""Metrics of retrieval churn: the ranking beside the one that the baseline holds, no labels."""
