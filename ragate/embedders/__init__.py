"""Embedders, one file each; its name is what ``[system.embedder] use`` says.

Texts go in, vectors come out. Read `hashing.py`, the smallest; `openai.py` asks a server, and
`onnx.py` and `sentence_transformers.py` run a model here.
"""
