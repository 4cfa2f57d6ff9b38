"""The vectors that metrics on embeddings read."""
