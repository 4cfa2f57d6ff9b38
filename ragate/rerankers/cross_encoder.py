"""Reranking by a local cross-encoder: ``[system.rerank]`` with ``use = "cross_encoder"``.

The extra ``ragate[local]`` brings the library.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import Any

from pydantic import Field

from ragate.clients.local_models import check_folder, is_folder, load_model
from ragate.core.hashing import digest
from ragate.errors import ConfigError
from ragate.models import Frozen
from ragate.settings import read_settings

WHERE = "[system.rerank] model"


class Settings(Frozen):
    """A model on this machine that reads question and passage together.

    Attributes:
        model: A model of the Hugging Face hub, or a folder that begins with `./` or `/`.
        revision: Branch, tag or commit on the hub; empty: its main branch.
        batch_size: Pairs of question and passage at once.
    """

    model: str = Field(default="cross-encoder/ms-marco-MiniLM-L6-v2", min_length=1)
    revision: str = ""
    batch_size: int = Field(default=32, ge=1, le=4096)


class LocalReranker:
    """Implements `ragate.protocols.Reranker`; the model is loaded for the first question.

    Args:
        load: Returns a ``CrossEncoder``; slow, and called once.
    """

    def __init__(self, settings: Settings, fingerprint: str, load: Callable[[], Any]) -> None:
        self.fingerprint = fingerprint
        self._settings = settings
        self._load = cache(load)
        self._turn = asyncio.Lock()

    async def __call__(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return one score a text, in order.

        Raises:
            ConfigError: the model cannot be loaded, or does not give one score a text.
        """
        if not texts:
            return []
        async with self._turn:  # the model uses all cores for one batch
            return await asyncio.to_thread(self._scores, [(query, text) for text in texts])

    def _scores(self, pairs: list[tuple[str, str]]) -> list[float]:
        size = self._settings.batch_size
        scores = self._load().predict(pairs, batch_size=size, show_progress_bar=False)
        if getattr(scores, "shape", None) != (len(pairs),):
            raise ConfigError(
                f"{WHERE} = {self._settings.model!r}: it does not give one score for a pair",
                remedy="use a cross-encoder that was trained to rank",
            )
        return [float(score) for score in scores]


def _loaded(settings: Settings) -> Any:
    """Return the model.

    The library loads an embedding model too, and gives it a last layer of random numbers.
    """
    table, use = "[system.rerank]", "cross_encoder"
    name, revision = settings.model, settings.revision
    model = load_model("CrossEncoder", name, revision, table=table, use=use)
    config = getattr(model, "config", None)
    kinds = [str(kind) for kind in getattr(config, "architectures", None) or ()]
    if kinds and not any("For" in kind for kind in kinds):
        raise ConfigError(
            f"{WHERE} = {name!r}: no cross-encoder but {', '.join(kinds)}: its scores would be "
            "random",
            remedy="use a cross-encoder, such as cross-encoder/ms-marco-MiniLM-L6-v2",
        )
    return model


def create(settings: Mapping[str, Any], clients: Callable[[str], Any]) -> LocalReranker:
    """Return the reranker; nothing is loaded yet.

    Raises:
        ConfigError: a key is unknown or wrong, or the model's folder is not there.
    """
    del clients
    keys = read_settings(Settings, settings, where="[system.rerank]")
    identity: Any = [keys.model, keys.revision]
    if is_folder(keys.model):
        identity = check_folder(keys.model, where=WHERE, listed="config.json")
    name = f"cross_encoder:{digest(identity)}"
    return LocalReranker(keys, name, lambda: _loaded(keys))
