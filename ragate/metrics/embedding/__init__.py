"""Metrics on vectors of texts, by any embedder of ragate."""
