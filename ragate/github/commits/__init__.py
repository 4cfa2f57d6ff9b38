"""Which commits are compared, which files they hold, and what a change touches."""
