"""Local models: loading one, and what the folder of one must hold and must not."""

import hashlib
import json
from pathlib import Path
from typing import Any

from ragate.core.hashing import digest
from ragate.errors import ConfigError
from ragate.files.foreign_files import read_bytes, read_text
from ragate.installed import install_line

MAX_MODEL_BYTES = 8 * 1024**3


def is_folder(model: str) -> bool:
    """Return whether `model` is written as a path."""
    return model.startswith(("./", "../", "/", "~"))


def existing_folder(model: str, *, where: str) -> Path:
    """Return the folder that `model` names.

    Raises:
        ConfigError: there is none.
    """
    folder = Path(model).expanduser()
    if not folder.is_dir():
        raise ConfigError(
            f"{where} = {model!r}: there is no such folder",
            remedy="the path starts where the command does",
        )
    return folder


def load_model(kind: str, model: str, revision: str, *, table: str, use: str) -> Any:
    """Return a model of sentence-transformers, from its folder, the local cache or the hub.

    Args:
        kind: The library's class, such as ``CrossEncoder``.
        table, use: What asked for it, for the message.

    Raises:
        ConfigError: the library is not installed, or there is no such model.
    """
    try:
        import sentence_transformers
        from transformers.utils.logging import disable_progress_bar
    except ImportError as error:
        raise ConfigError(
            f'{table} use = "{use}" needs a library: {error}',
            remedy=install_line("local"),
        ) from error
    disable_progress_bar()  # it writes into the report's stream
    try:
        return getattr(sentence_transformers, kind)(
            model,
            device="cpu",
            revision=revision or None,
            trust_remote_code=False,
            model_kwargs={"use_safetensors": True},
        )
    except (OSError, ValueError, RuntimeError, ImportError) as error:
        why = " ".join(str(error).split())[:300]
        raise ConfigError(
            f"{table} model = {model!r} cannot be loaded: {why}",
            remedy="give the name of a model on the hub, or a folder that holds its files as "
            "./models/name; with HF_HUB_OFFLINE=1 it must be in the cache already",
        ) from error


def check_folder(model: str, *, where: str, listed: str = "modules.json") -> str:
    """Return the hash of a model's files.

    Args:
        where: The key, for the message.
        listed: The file that every such folder has.

    Raises:
        ConfigError: there is no such folder, it holds no model, or one with code of its own.
    """
    folder = existing_folder(model, where=where)
    if not (folder / listed).is_file() or not list(folder.glob("*.safetensors")):
        raise ConfigError(
            f"{where} = {model!r}: no {listed} with a .safetensors file beside it",
            remedy="save the model there with save(folder) of sentence-transformers",
        )
    _refuse_code(model, folder / "modules.json", where)
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return digest(
        [
            (path.relative_to(folder).as_posix(), _hash(path))
            for path in files
            if path.suffix in {".json", ".safetensors", ".txt", ".model"}
        ]
    )


def _refuse_code(model: str, listed: Path, where: str) -> None:
    """A module of another package than the library's would be imported: code of the change."""
    if not listed.is_file():
        return
    try:
        modules = json.loads(read_text(listed, error=ConfigError, max_bytes=1_000_000))
        kinds = [str(module["type"]) for module in modules]
    except (ValueError, TypeError, KeyError) as error:
        raise ConfigError(f"{where} = {model!r}: modules.json is no list of modules") from error
    for kind in kinds:
        if not kind.startswith("sentence_transformers."):
            raise ConfigError(f"{where} = {model!r}: modules.json names code of its own: {kind!r}")


def _hash(path: Path) -> str:
    content = read_bytes(path, error=ConfigError, max_bytes=MAX_MODEL_BYTES)
    return hashlib.sha256(content).hexdigest()
