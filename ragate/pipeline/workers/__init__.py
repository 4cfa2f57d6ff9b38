"""A run whose questions other machines ask: what submits it, and what a worker does with it."""
