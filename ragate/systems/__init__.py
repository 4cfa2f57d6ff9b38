"""Systems under test, one file (or package) a kind."""
