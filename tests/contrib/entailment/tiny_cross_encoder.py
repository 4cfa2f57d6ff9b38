"""A cross-encoder of a few bytes: a premise entails what shares the word id 3 ("moon") with it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

WORDS = ["[UNK]", "[PAD]", "[SEP]", "moon", "cheese"]
LABELS = {"0": "contradiction", "1": "entailment", "2": "neutral"}


def write_cross_encoder(folder: Path, *, labels: dict[str, str] | None = None) -> Path:
    """Write model.onnx, tokenizer.json and config.json; the logit of label 1 counts "moon"."""
    import onnx
    from onnx import TensorProto, helper
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = Tokenizer(
        models.WordLevel({word: number for number, word in enumerate(WORDS)}, unk_token="[UNK]")
    )
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="$A", pair="$A [SEP] $B:1", special_tokens=[("[SEP]", 2)]
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "config.json").write_text(json.dumps({"id2label": labels or LABELS}))

    def constant(name: str, kind: int, values: list[Any]) -> Any:
        return helper.make_tensor(name, kind, [len(values)], values)

    nodes = [
        helper.make_node("Equal", ["input_ids", "three"], ["is_moon"]),
        helper.make_node("Cast", ["is_moon"], ["moons"], to=TensorProto.FLOAT),
        helper.make_node("ReduceSum", ["moons", "axis"], ["count"], keepdims=1),
        helper.make_node("Mul", ["count", "weights"], ["scaled"]),
        helper.make_node("Add", ["scaled", "bias"], ["logits"]),
    ]
    graph = helper.make_graph(
        nodes,
        "tiny",
        [helper.make_tensor_value_info("input_ids", TensorProto.INT64, ["batch", "tokens"])],
        [helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["batch", 3])],
        [
            constant("three", TensorProto.INT64, [3]),
            constant("axis", TensorProto.INT64, [1]),
            constant("weights", TensorProto.FLOAT, [0.0, 10.0, 0.0]),
            constant("bias", TensorProto.FLOAT, [0.0, -15.0, 0.0]),
        ],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8)
    onnx.save(model, str(folder / "model.onnx"))
    return folder
