"""A candidate beside its baseline: which samples and passes stand for one another."""
