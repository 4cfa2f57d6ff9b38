"""Reading text without a model."""
