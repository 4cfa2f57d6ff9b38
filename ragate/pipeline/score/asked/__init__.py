"""Who is asked about what: metrics that ask by themselves, and stages that need no asking."""
