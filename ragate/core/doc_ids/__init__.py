"""Ids of documents: whether what is expected and what came back are written in one way.

Nothing here changes a score: `hits` in `ragate.core.ranking` takes ids as they are.
"""
