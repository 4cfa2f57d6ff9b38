"""Which RAG a project holds: read from its files, of which none is ever run."""
