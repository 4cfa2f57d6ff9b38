"""ragate: the regression gate for RAG on pull requests."""

__version__ = "0.1.0"
