"""``ragate review``: a person looks at what changed."""
