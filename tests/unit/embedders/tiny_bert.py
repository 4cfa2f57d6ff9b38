"""A BERT of a few bytes with random weights, on disk and once more in plain NumPy."""

from __future__ import annotations

import json
from collections.abc import Sequence
from math import erf, sqrt
from pathlib import Path
from typing import Any

import numpy as np

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "moon", "cheese", "refund", "days", "orbit"]
WIDTH, HEADS, LAYERS, WIDE, LONGEST = 8, 2, 2, 16, 12
CONFIG = {
    "model_type": "bert",
    "hidden_act": "gelu",
    "hidden_size": WIDTH,
    "num_attention_heads": HEADS,
    "num_hidden_layers": LAYERS,
    "layer_norm_eps": 1e-12,
    "max_position_embeddings": LONGEST,
}


def write_bert(folder: Path, **config: Any) -> Path:
    """Write model.safetensors, tokenizer.json and config.json."""
    from safetensors.numpy import save_file

    folder.mkdir(parents=True, exist_ok=True)
    write_tokenizer(folder)
    (folder / "config.json").write_text(json.dumps({**CONFIG, **config}))
    save_file(weights(), str(folder / "model.safetensors"))
    return folder


def write_tokenizer(folder: Path) -> None:
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    tokenizer = Tokenizer(
        models.WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="[UNK]")
    )
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="[CLS] $A [SEP]", special_tokens=[("[CLS]", 2), ("[SEP]", 3)]
    )
    tokenizer.enable_padding(length=9)  # as published models do
    tokenizer.save(str(folder / "tokenizer.json"))


def weights() -> dict[str, Any]:
    rng = np.random.default_rng(1)

    def some(*shape: int) -> Any:
        return rng.normal(0, 0.5, shape).astype(np.float32)

    found = {
        "embeddings.word_embeddings.weight": some(len(WORDS), WIDTH),
        "embeddings.position_embeddings.weight": some(LONGEST, WIDTH),
        "embeddings.token_type_embeddings.weight": some(2, WIDTH),
        "embeddings.LayerNorm.weight": some(WIDTH),
        "embeddings.LayerNorm.bias": some(WIDTH),
    }
    for number in range(LAYERS):
        layer = f"encoder.layer.{number}"
        shapes = {
            **{f"attention.self.{part}": (WIDTH, WIDTH) for part in ("query", "key", "value")},
            "attention.output.dense": (WIDTH, WIDTH),
            "intermediate.dense": (WIDE, WIDTH),
            "output.dense": (WIDTH, WIDE),
        }
        for name, shape in shapes.items():
            found[f"{layer}.{name}.weight"] = some(*shape)
            found[f"{layer}.{name}.bias"] = some(shape[0])
        for name in ("attention.output.LayerNorm", "output.LayerNorm"):
            found[f"{layer}.{name}.weight"] = some(WIDTH)
            found[f"{layer}.{name}.bias"] = some(WIDTH)
    return found


def plain_vector(words: Sequence[str], *, first_token: bool = False) -> Any:
    """Return the unit vector of a text, computed without any library of models."""
    w = {name: value.astype(np.float64) for name, value in weights().items()}
    ids = [WORDS.index(word) if word in WORDS else 1 for word in words]
    ids = [2, *ids[: LONGEST - 2], 3]
    states = (
        w["embeddings.word_embeddings.weight"][ids]
        + w["embeddings.position_embeddings.weight"][: len(ids)]
        + w["embeddings.token_type_embeddings.weight"][0]
    )
    states = norm(states, w, "embeddings.LayerNorm")
    for number in range(LAYERS):
        states = plain_layer(states, w, f"encoder.layer.{number}")
    vector = states[0] if first_token else states.mean(axis=0)
    return vector / np.linalg.norm(vector)


def plain_layer(states: Any, w: dict[str, Any], name: str) -> Any:
    def dense(of: Any, part: str) -> Any:
        return of @ w[f"{name}.{part}.weight"].T + w[f"{name}.{part}.bias"]

    split = [
        np.split(dense(states, f"attention.self.{part}"), HEADS, axis=1)
        for part in ("query", "key", "value")
    ]
    attended = []
    for query, key, value in zip(*split, strict=True):
        logits = query @ key.T / sqrt(WIDTH / HEADS)
        chances = np.exp(logits - logits.max(axis=1, keepdims=True))
        attended.append(chances / chances.sum(axis=1, keepdims=True) @ value)
    mixed = dense(np.concatenate(attended, axis=1), "attention.output.dense")
    first = norm(states + mixed, w, f"{name}.attention.output.LayerNorm")
    wide = dense(first, "intermediate.dense")
    bent = wide * 0.5 * (1 + np.vectorize(erf)(wide / sqrt(2)))
    return norm(first + dense(bent, "output.dense"), w, f"{name}.output.LayerNorm")


def norm(states: Any, w: dict[str, Any], name: str) -> Any:
    centred = states - states.mean(axis=1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-12)
    return scaled * w[f"{name}.weight"] + w[f"{name}.bias"]
