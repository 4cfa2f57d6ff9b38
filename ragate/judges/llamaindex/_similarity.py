"""semantic_similarity: the cosine between answer and reference."""

from collections.abc import Sequence

from ragate.judges.llamaindex._windows import UnjudgeableError
from ragate.protocols import Embedder


async def best_cosine(embedder: Embedder, answer: str, references: Sequence[str]) -> float:
    """Return the largest cosine between the answer and a reference, in [0, 1].

    Raises:
        UnjudgeableError: the vectors have no angle: of zeros, or not finite.
        ProviderError: the embedder's provider failed.
    """
    import numpy as np

    vectors = np.asarray(await embedder([answer, *references]), dtype=np.float64)
    lengths = np.linalg.norm(vectors, axis=1)
    if not np.isfinite(lengths).all() or not lengths.all():
        raise UnjudgeableError("a vector of the embedder has no direction")
    units = vectors / lengths[:, None]
    return float(np.clip((units[1:] @ units[0]).max(), 0.0, 1.0))
