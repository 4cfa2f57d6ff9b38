"""The answer, against a reference."""
