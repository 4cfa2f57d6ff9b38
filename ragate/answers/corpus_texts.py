"""The documents that a golden set speaks of, as far as their texts can be had."""

from pathlib import Path

from ragate import plugins
from ragate.config import Config
from ragate.dataset import Entry
from ragate.errors import UsageError
from ragate.protocols import CorpusModule
from ragate.settings import nearest

Texts = dict[str, str]  # by document id


def corpus_texts(config: Config | None, corpus: Path | None) -> Texts | None:
    """Return the texts of all documents, None where the system does not tell them.

    Args:
        corpus: A folder of documents, or one with a BEIR ``corpus.jsonl``; it wins over the
            configured system's.

    Raises:
        ConfigError: the corpus cannot be read.
    """
    if corpus is not None:
        from ragate.systems.pgvector.corpus import read_texts

        folder = corpus.resolve()
        return read_texts(folder.parent, folder.name)
    if config is None or not plugins.is_builtin("systems", config.system.use):
        return None
    module = plugins.load("systems", config.system.use)
    if not isinstance(module, CorpusModule):
        return None
    return module.document_texts(config.system.settings, config.root)


def needed_texts(config: Config | None, corpus: Path | None, *, why: str) -> Texts:
    """Return the texts of all documents.

    Args:
        why: What they are needed for, for the message.

    Raises:
        UsageError: the system does not tell them, and no corpus is given.
    """
    texts = corpus_texts(config, corpus)
    if texts is None:
        raise UsageError(
            f"{why} needs the texts of the documents, and this system does not tell them",
            remedy="name the folder of the documents with --corpus",
        )
    return texts


def by_id(entries: list[Entry], ids: tuple[str, ...]) -> list[Entry]:
    """Return the entries with these ids, in the order of the file; all where none is named.

    Raises:
        UsageError: no sample has one of them.
    """
    all_entries = {entry.sample.id: entry for entry in entries}
    for name in ids:
        if name not in all_entries:
            raise UsageError(f"no sample has the id {name!r}{nearest(name, all_entries)}")
    chosen = set(ids)
    return [entry for entry in entries if not chosen or entry.sample.id in chosen]
