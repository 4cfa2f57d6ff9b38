"""Rerankers, one file each; its name is what ``[system.rerank] use`` says.

A query and retrieved texts go in, their new order comes out. Read `endpoint.py`, which asks a
service, and `cross_encoder.py`, which runs a model here.
"""
