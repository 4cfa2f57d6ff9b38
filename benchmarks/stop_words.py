"""What another list of stop words changes of ndcg@10, by the index's own analyser and in memory.

    python -m benchmarks.stop_words [--data FOLDER] [--output FILE]

Two public collections and the pages of this manual, each document as one chunk.
"""

from __future__ import annotations

import argparse
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from benchmarks.answer_sets import DATA
from benchmarks.cranfield import ndcg_10, read_samples
from benchmarks.shares import Z, print_lines
from ragate.dataset import read_dataset
from ragate.models import Sample
from ragate.systems.pgvector.settings import Bm25Settings
from ragate.systems.pgvector.terms import Analyzer, idf

ROOT = Path(__file__).resolve().parents[1]
Others = Literal["grammar", "none"]


def collections(data: Path) -> Iterator[tuple[str, dict[str, str], Sequence[Sample]]]:
    """Yield each collection's name, texts by document, and questions."""
    for name in ("cranfield", "clapnq_dev"):
        rows = map(json.loads, (data / name / "corpus.jsonl").read_text("utf-8").splitlines())
        texts = {row["_id"]: f"{row.get('title') or ''} {row['text']}" for row in rows}
        yield name, texts, read_samples(data / name)
    pages = {page.name: page.read_text("utf-8") for page in (ROOT / "docs").glob("*.md")}
    yield "manual", pages, read_dataset(ROOT / "evals/golden.jsonl")


def gains(
    texts: Mapping[str, str], samples: Sequence[Sample], settings: Bm25Settings
) -> npt.NDArray[np.float64]:
    """Return ndcg@10 of each question that has a relevant document."""
    analyzer = Analyzer(settings)
    counts = {doc: analyzer.counts(text) for doc, text in texts.items()}
    lengths = {doc: sum(counted.values()) for doc, counted in counts.items()}
    average = sum(lengths.values()) / len(lengths)
    holding: dict[int, list[str]] = defaultdict(list)
    for doc, counted in counts.items():
        for term in counted:
            holding[term].append(doc)
    found = []
    for sample in samples:
        if not any(sample.relevant.values()):
            continue
        scores: dict[str, float] = defaultdict(float)
        for term, repeats in analyzer.counts(sample.query).items():
            for doc in holding[term]:
                tf = counts[doc][term]
                norm = settings.k1 * (1 - settings.b + settings.b * lengths[doc] / average)
                weight = idf(len(holding[term]), len(texts)) * (settings.k1 + 1)
                scores[doc] += repeats * weight * tf / (tf + norm)
        ranking = sorted(scores, key=lambda doc: (-scores[doc], doc))
        found.append(ndcg_10(ranking, sample.relevant))
    return np.array(found)


def report(data: Path) -> Iterator[str]:
    """Yield a line for each collection and list."""
    yield "collection  questions  english   against it (95 %)"
    for name, texts, samples in collections(data):
        today = gains(texts, samples, Bm25Settings())
        for other in get_args(Others):
            change = gains(texts, samples, Bm25Settings(stop_words=other)) - today
            error = Z * change.std(ddof=1) / len(change) ** 0.5
            yield (
                f"{name:<12}{len(today):>9}{today.mean():>9.4f}   "
                f"{other:<8}{change.mean():+.4f} ± {error:.4f}"
            )


def main() -> None:
    reader = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    reader.add_argument("--data", type=Path, default=DATA)
    reader.add_argument("--output", type=Path)
    options = reader.parse_args()
    print_lines(report(options.data), options.output)


if __name__ == "__main__":
    main()
