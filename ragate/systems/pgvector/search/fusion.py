"""Two rankings to one, weighted: by ranks or by scores."""

from collections.abc import Iterable, Sequence

from ragate.systems.pgvector.retrieval_settings import HybridSettings
from ragate.systems.pgvector.search.ranked_search import Hit


def fuse(
    bm25: Sequence[Hit], dense: Sequence[Hit], settings: HybridSettings, *, limit: int
) -> list[Hit]:
    """Return both rankings as one, best first; a chunk that one of them lacks gets 0 for it.

    By ranks, a chunk gets weight / (rrf_k + rank) from each ranking; by scores, weight times its
    score scaled to 0 for the last of that ranking and 1 for the first.

    Source:
        Cormack, Clarke and Büttcher, Reciprocal rank fusion, SIGIR 2009. Bruch, Gai and Ingber, An
        analysis of fusion functions for hybrid retrieval, TOIS 2023.
    """
    scores: dict[tuple[str, int], float] = {}
    for weight, ranking in ((1 - settings.weight, bm25), (settings.weight, dense)):
        if not weight:
            continue
        values = _ranked(ranking, settings.rrf_k) if settings.fusion == "rrf" else _scaled(ranking)
        for hit, value in zip(ranking, values, strict=True):
            chunk = (hit.doc_id, hit.position)
            scores[chunk] = scores.get(chunk, 0.0) + weight * value
    hits = [Hit(doc_id, position, score) for (doc_id, position), score in scores.items()]
    return sorted(hits, key=lambda hit: (-round(hit.score, 12), hit.doc_id, hit.position))[:limit]


def _ranked(ranking: Sequence[Hit], rrf_k: int) -> Iterable[float]:
    return (1 / (rrf_k + rank) for rank in range(1, len(ranking) + 1))


def _scaled(ranking: Sequence[Hit]) -> Iterable[float]:
    if not ranking:
        return []
    high, low = ranking[0].score, ranking[-1].score
    return ((hit.score - low) / (high - low) if high > low else 1.0 for hit in ranking)
