"""The system under test, asked: one pass after the other."""
