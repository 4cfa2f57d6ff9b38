"""What need not be paid twice: judgements, model answers and embeddings, in one SQLite file.

Rows under the digest of what was asked come in, and go out again. Read `store.py`, then `file.py`
for how the file is opened and replaced.
"""

from ragate.cache.store import CACHE_NAME, STEPS, Cache, CacheInfo, Draw

__all__ = ["CACHE_NAME", "STEPS", "Cache", "CacheInfo", "Draw"]
