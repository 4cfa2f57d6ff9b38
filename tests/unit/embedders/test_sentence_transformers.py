"""The embedders that need no service."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragate import plugins
from ragate.embedders import sentence_transformers
from ragate.embedders.sentence_transformers import Settings
from ragate.errors import ConfigError
from ragate.installed import install_line
from tests.unit.embedders.embedder_factories import no_client


class Model:
    def __init__(self) -> None:
        self.calls: list[tuple[list[str], dict[str, Any]]] = []

    def encode(self, sentences: list[str], **options: Any) -> Any:
        self.calls.append((sentences, options))
        return np.ones((len(sentences), 3))


def test_a_local_model_is_loaded_once_at_the_first_text(monkeypatch: pytest.MonkeyPatch) -> None:
    models: list[Model] = []

    def load(*_asked: object, **_for: object) -> Model:
        models.append(Model())
        return models[-1]

    async def twice() -> Any:
        monkeypatch.setattr(sentence_transformers, "load_model", load)
        embedder = sentence_transformers.create({"batch_size": 5}, no_client)
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

    with pytest.raises(ConfigError, match=re.escape(install_line("local"))):
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
