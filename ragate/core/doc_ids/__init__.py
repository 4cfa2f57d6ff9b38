"""Ids of documents: whether what is expected and what came back are written in one way."""
