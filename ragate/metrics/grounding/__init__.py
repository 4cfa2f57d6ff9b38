"""The answer, against its contexts."""
