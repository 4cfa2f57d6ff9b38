"""A local model of sentence-transformers; the extra ``ragate[local]`` brings the library."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from pydantic import Field

from ragate.clients.local_models import check_folder, is_folder, load_model
from ragate.core.hashing import digest
from ragate.embedders._local import Encode, LocalEmbedder
from ragate.models import Frozen
from ragate.settings import read_settings

WHERE = "[system.embedder] model"


class Settings(Frozen):
    """A model of the library sentence-transformers on this machine: [Embedders](retrieval.md).

    Attributes:
        model: A model of the Hugging Face hub, or a folder that begins with `./` or `/`.
        revision: Branch, tag or commit on the hub; empty: its main branch.
        batch_size: Texts at once.
    \f

    ```toml
    [system]
    use       = "pgvector"
    corpus    = "docs"
    retrieval = "hybrid"

    [system.embedder]
    use      = "sentence_transformers"
    revision = "main"
    ```

    No text leaves this machine. The default model makes 384 dimensions and reads the first 256 word
    pieces of a chunk: set `chunk_size` to 200 or less. Installing the CPU build of `torch` first
    saves several gigabytes.

    - **Hub.** The first use downloads into the cache of Hugging Face (keep `HF_HOME` in CI;
      `HF_HUB_OFFLINE=1` downloads nothing). Pin `revision` to a commit, or the model can change
      under the baseline.
    - **Folder**, for runners without internet: relative to where the command starts, with
      `modules.json` and a `.safetensors` file, as `SentenceTransformer.save` writes them. Its files
      are part of the fingerprint.
    - **No code** of a model is run, and weights are read as safetensors only.
    """

    model: str = Field(default="sentence-transformers/all-MiniLM-L6-v2", min_length=1)
    revision: str = ""
    batch_size: int = Field(default=32, ge=1, le=4096)


def create(settings: Mapping[str, Any], clients: Callable[[str], Any]) -> LocalEmbedder:
    """Return the embedder; nothing is loaded yet.

    Raises:
        ConfigError: a key is unknown or wrong, or the model's folder is not there.
    """
    del clients
    keys = read_settings(Settings, settings, where="[system.embedder]")
    identity = (
        check_folder(keys.model, where=WHERE)
        if is_folder(keys.model)
        else [keys.model, keys.revision]
    )

    def load() -> Encode:
        table, use = "[system.embedder]", "sentence_transformers"
        model = load_model("SentenceTransformer", keys.model, keys.revision, table=table, use=use)
        return partial(
            model.encode,
            batch_size=keys.batch_size,
            normalize_embeddings=True,
            convert_to_numpy=True,
            show_progress_bar=False,
        )

    return LocalEmbedder(f"sentence_transformers:{digest(identity)}", keys.batch_size, load)
