"""A model that turns texts into vectors on onnxruntime, on the processor alone."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ragate.embedders._bert_graph import bert_graph
from ragate.embedders._onnx_files import MAX_BYTES, REMEDY, ModelFiles
from ragate.errors import ConfigError, ProviderError
from ragate.support.foreign_files import read_bytes

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

_KNOWN_INPUTS = frozenset({"input_ids", "attention_mask", "token_type_ids"})


class OnnxEncoder:
    """The model, loaded."""

    def __init__(self, files: ModelFiles, *, max_tokens: int, where: str) -> None:
        """Load it.

        Raises:
            ConfigError: the files hold no such model.
        """
        self._first_token = files.first_token
        self._session, self._tokenizer = _loaded(files, where)
        positions = files.config.get("max_position_embeddings")
        longest = min(max_tokens, positions) if isinstance(positions, int) else max_tokens
        self._tokenizer.enable_truncation(max(longest, 2))
        self._tokenizer.no_padding()
        self._inputs = {each.name: each.type for each in self._session.get_inputs()}
        if not _KNOWN_INPUTS.issuperset(self._inputs):
            raise ConfigError(f"{where}: its inputs are {', '.join(self._inputs)}", remedy=REMEDY)

    def encode(self, texts: Sequence[str], batch_size: int) -> npt.NDArray[np.float32]:
        """Return one vector of length 1 a text; texts of like length are read together.

        Raises:
            ProviderError: the model failed on a text.
        """
        import numpy as np

        try:
            # Half of a surrogate pair has no bytes; the tokenizer wants some.
            readable = [text.encode(errors="replace").decode() for text in texts]
            ids = [one.ids for one in self._tokenizer.encode_batch(readable)]
            order = sorted(range(len(ids)), key=lambda number: len(ids[number]))
            parts = [order[i : i + batch_size] for i in range(0, len(order), batch_size)]
            vectors = [self._batch([ids[number] for number in part]) for part in parts]
        except Exception as error:  # both libraries raise types of their own
            why = " ".join(str(error).split())[:200]
            raise ProviderError(f"the embedding model failed: {why}") from error
        rows = np.concatenate(vectors)
        sorted_back = np.empty_like(rows)
        sorted_back[order] = rows
        return sorted_back

    def _batch(self, ids: Sequence[Sequence[int]]) -> npt.NDArray[np.float32]:
        import numpy as np

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


def _loaded(files: ModelFiles, where: str) -> tuple[Any, Any]:
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
            f"{where}: {str(files.folder)!r} cannot be loaded: {why}", remedy=REMEDY
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
