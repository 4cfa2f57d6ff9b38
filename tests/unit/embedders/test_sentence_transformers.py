"""The embedders that need no service."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragate import plugins
from ragate.embedders import hashing, openai, sentence_transformers
from ragate.embedders.sentence_transformers import LocalEmbedder, Settings
from ragate.errors import ConfigError


def no_client(name: str) -> Any:
    raise AssertionError(name)


def hashed(*texts: str, **settings: Any) -> Any:
    return asyncio.run(hashing.create(settings, no_client)(texts))


def test_a_hashed_vector_has_length_one_and_the_dimension_of_its_table() -> None:
    vectors = hashed("The pump is blue.", "a a a", "", "!?", dimensions=64)

    assert vectors.shape == (4, 64)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-6)


def test_texts_that_share_words_are_near_and_order_does_not_matter() -> None:
    query, near, far, same = hashed(
        "blue pump", "the pump is blue", "nine kilograms", "PUMP, blue!"
    )

    assert query @ near > 0.5 > query @ far
    assert query @ same == pytest.approx(1.0)


def test_a_repeated_word_counts_with_its_logarithm() -> None:
    vector = hashed("pump pump pump valve", dimensions=16_000)[0]

    values = sorted(abs(value) for value in vector if value)
    assert values[1] / values[0] == pytest.approx(1 + np.log(3))


def test_a_text_without_a_word_is_near_to_no_other() -> None:
    texts = [f"word{number}" for number in range(200)]
    vectors = hashed("", *texts, dimensions=16)

    assert np.abs(vectors[1:] @ vectors[0]).max() == 0.0


def test_hashed_vectors_are_the_same_everywhere() -> None:
    vector = hashed("The blue pump: two, two.", dimensions=64)[0]

    found = {place: round(float(value), 6) for place, value in enumerate(vector) if value}
    assert found == {24: -0.412859, 41: -0.412859, 48: 0.412859, 62: 0.69903}


def test_only_a_fingerprint_of_the_same_dimension_is_the_same() -> None:
    one, two = (hashing.create({"dimensions": size}, no_client) for size in (64, 65))

    assert one.fingerprint != two.fingerprint


@pytest.mark.parametrize("settings", [{"dimensions": 15}, {"dimension": 64}, {"model": "x"}])
def test_wrong_keys_are_refused(settings: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=r"\[system.embedder\]"):
        hashing.create(settings, no_client)


def test_only_hashing_says_that_it_repeats_exactly() -> None:
    assert hashing.HashingEmbedder.deterministic
    assert not LocalEmbedder.deterministic
    assert not openai.OpenAIEmbedder.deterministic


# --- sentence_transformers ----------------------------------------------------------------------


class Model:
    def __init__(self) -> None:
        self.calls: list[tuple[list[str], dict[str, Any]]] = []

    def encode(self, sentences: list[str], **options: Any) -> Any:
        self.calls.append((sentences, options))
        return np.ones((len(sentences), 3))


def test_a_local_model_is_loaded_once_at_the_first_text() -> None:
    models: list[Model] = []

    def load() -> Model:
        models.append(Model())
        return models[-1]

    async def twice() -> Any:
        embedder = LocalEmbedder(Settings(batch_size=5), "f", load)
        assert models == []
        await embedder(["a"])
        return await embedder(["b", "c"])

    vectors = asyncio.run(twice())

    assert (vectors.shape, vectors.dtype) == ((2, 3), np.float32)
    assert len(models) == 1
    assert [texts for texts, _ in models[0].calls] == [["a"], ["b", "c"]]
    assert models[0].calls[0][1]["normalize_embeddings"] is True
    assert models[0].calls[0][1]["batch_size"] == 5


def test_without_the_library_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    embedder = sentence_transformers.create({}, no_client)

    with pytest.raises(ConfigError, match=r"pip install 'ragate\[local\]'"):
        asyncio.run(embedder(["a"]))


def test_the_plugin_loads_without_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)

    assert plugins.load("embedders", "sentence_transformers") is sentence_transformers
    assert Settings().model == "sentence-transformers/all-MiniLM-L6-v2"


def folder(root: Path, kind: str = "sentence_transformers.models.Transformer") -> Path:
    place = root / "model"
    place.mkdir()
    (place / "modules.json").write_text(json.dumps([{"idx": 0, "path": "", "type": kind}]))
    (place / "model.safetensors").write_bytes(b"weights")
    return place


def test_a_folder_is_known_by_its_files(tmp_path: Path) -> None:
    place = folder(tmp_path)
    first = sentence_transformers.create({"model": str(place)}, no_client).fingerprint
    same = sentence_transformers.create({"model": str(place)}, no_client).fingerprint
    (place / "model.safetensors").write_bytes(b"other weights")
    other = sentence_transformers.create({"model": str(place)}, no_client).fingerprint

    assert first == same != other


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="there is no such folder"):
        sentence_transformers.create({"model": str(tmp_path / "none")}, no_client)


@pytest.mark.parametrize("name", ["modules.json", "model.safetensors"])
def test_a_folder_without_a_model_is_refused(tmp_path: Path, name: str) -> None:
    place = folder(tmp_path)
    (place / name).unlink()

    with pytest.raises(ConfigError, match=r"no modules.json with a .safetensors file"):
        sentence_transformers.create({"model": str(place)}, no_client)


@pytest.mark.parametrize("kind", ["custom.Module", "os.system", "sentence_transformersx.A"])
def test_a_folder_with_code_of_its_own_is_refused(tmp_path: Path, kind: str) -> None:
    place = folder(tmp_path, kind)

    with pytest.raises(ConfigError, match="names code of its own"):
        sentence_transformers.create({"model": str(place)}, no_client)


def test_a_list_of_modules_that_is_none_is_refused(tmp_path: Path) -> None:
    place = folder(tmp_path)
    (place / "modules.json").write_text('{"type": 3}')

    with pytest.raises(ConfigError, match="is no list of modules"):
        sentence_transformers.create({"model": str(place)}, no_client)
