"""What need not be paid twice: judgements, model answers and embeddings, in one SQLite file."""

from ragate.cache.rows import Draw
from ragate.cache.store import CACHE_NAME, STEPS, Cache, CacheInfo
from ragate.cache.transfer import export_cache, import_cache

__all__ = ["CACHE_NAME", "STEPS", "Cache", "CacheInfo", "Draw", "export_cache", "import_cache"]
