"""A BERT in safetensors as an ONNX graph, made in memory: without torch, and no code is run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ragate.errors import ConfigError

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

DOMAIN = "com.microsoft"  # onnxruntime's own operators: a layer of BERT is seven of them


def bert_graph(weights: Mapping[str, npt.NDArray[np.float32]], config: Mapping[str, Any]) -> bytes:
    """Return the network: token ids and mask (batch, tokens) to states (batch, tokens, width).

    Args:
        weights: By their names in a file of the Transformers library.
        config: Its config.json.

    Raises:
        KeyError: a weight or a key of the configuration is missing.
        ConfigError: it is no BERT.
    """
    from onnx import TensorProto, helper

    if config["model_type"] != "bert" or config.get("hidden_act") != "gelu":
        raise ConfigError(f"its kind is {config['model_type']}, and only a BERT can be read")
    if config.get("position_embedding_type", "absolute") != "absolute":
        raise ConfigError(f"its positions are {config['position_embedding_type']}, not absolute")
    graph = _Graph(weights, heads=config["num_attention_heads"], epsilon=config["layer_norm_eps"])
    states = graph.embed()
    for number in range(config["num_hidden_layers"]):
        states = graph.layer(f"encoder.layer.{number}", states)
    shape = ["batch", "tokens"]
    ids, mask = (
        helper.make_tensor_value_info(name, TensorProto.INT32, shape)
        for name in ("input_ids", "attention_mask")
    )
    out = helper.make_tensor_value_info(states, TensorProto.FLOAT, [*shape, config["hidden_size"]])
    model = helper.make_model(
        helper.make_graph(graph.nodes, "bert", [ids, mask], [out], graph.tensors),
        opset_imports=[helper.make_opsetid("", 17), helper.make_opsetid(DOMAIN, 1)],
    )
    model.ir_version = 8  # what older runtimes read, too
    written: bytes = model.SerializeToString()
    return written


class _Graph:
    """Nodes and weights of a graph that grows."""

    def __init__(
        self, weights: Mapping[str, npt.NDArray[np.float32]], *, heads: int, epsilon: float
    ) -> None:
        self.nodes: list[Any] = []
        self.tensors: list[Any] = []
        self._weights = weights
        self._heads = heads
        self._epsilon = float(epsilon)

    def embed(self) -> str:
        """Add what turns ids into the first states; return the name of these."""
        positions, kinds = (
            self._weights[f"embeddings.{name}_embeddings.weight"]
            for name in ("position", "token_type")
        )
        tables = [
            self._weight("embeddings.word_embeddings.weight"),
            self._tensor("positions", positions + kinds[0]),  # all tokens are of the first kind
            "",
        ]
        inputs = ["input_ids", "", *tables, *self._norm("embeddings.LayerNorm"), "attention_mask"]
        self._node("EmbedLayerNormalization", inputs, ["states", "lengths"], epsilon=self._epsilon)
        return "states"

    def layer(self, name: str, states: str) -> str:
        """Add one layer; return the name of its output."""
        attended = self._attention(f"{name}.attention.self", states)
        mixed = self._times(f"{name}.attention.output.dense", attended)
        first = self._add_and_norm(f"{name}.attention.output", mixed, states)
        wide = self._times(f"{name}.intermediate.dense", first)
        bias = self._weight(f"{name}.intermediate.dense.bias")
        bent = self._node("BiasGelu", [wide, bias], [f"{name}.gelu"])
        narrow = self._times(f"{name}.output.dense", bent)
        return self._add_and_norm(f"{name}.output", narrow, first)

    def _attention(self, name: str, states: str) -> str:
        import numpy as np

        parts = [f"{name}.{part}" for part in ("query", "key", "value")]
        joined = np.concatenate([self._weights[f"{part}.weight"].T for part in parts], axis=1)
        bias = np.concatenate([self._weights[f"{part}.bias"] for part in parts])
        inputs = [
            states,
            self._tensor(f"{name}.weight", joined),
            self._tensor(f"{name}.bias", bias),
            "attention_mask",
        ]
        return self._node("Attention", inputs, [f"{name}.out"], num_heads=self._heads)

    def _times(self, name: str, states: str) -> str:
        weight = self._tensor(f"{name}.weight", self._weights[f"{name}.weight"].T)
        return self._node("MatMul", [states, weight], [f"{name}.out"], domain="")

    def _add_and_norm(self, name: str, states: str, skipped: str) -> str:
        gamma, beta = self._norm(f"{name}.LayerNorm")
        inputs = [states, skipped, gamma, beta, self._weight(f"{name}.dense.bias")]
        return self._node("SkipLayerNormalization", inputs, [f"{name}.norm"], epsilon=self._epsilon)

    def _norm(self, name: str) -> tuple[str, str]:
        return self._weight(f"{name}.weight"), self._weight(f"{name}.bias")

    def _weight(self, name: str) -> str:
        return self._tensor(name, self._weights[name])

    def _tensor(self, name: str, values: npt.NDArray[np.float32]) -> str:
        import numpy as np
        from onnx import numpy_helper

        single = np.ascontiguousarray(values, dtype=np.float32)
        self.tensors.append(numpy_helper.from_array(single, name))
        return name

    def _node(
        self, kind: str, inputs: list[str], outputs: list[str], *, domain: str = DOMAIN, **keys: Any
    ) -> str:
        from onnx import helper

        self.nodes.append(helper.make_node(kind, inputs, outputs, domain=domain, **keys))
        return outputs[0]
