"""Tools for golden sets: checking, growing and mending them. Labels are a person's to give."""
