"""Scripts that measure; each prints its figures."""
