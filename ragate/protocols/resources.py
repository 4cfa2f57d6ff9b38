"""What the pipeline hands to plugins."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from ragate.protocols.clients import ChatClient, Embedder, Reranker


class Database(Protocol):
    """A Postgres with pgvector, started or connected to on first use."""

    def conninfo(self) -> str:
        """Return a libpq connection string.

        Raises:
            DatabaseError: no server can be reached or started.
        """
        ...


class Steps(Protocol):
    """Remembers replies on the way to a verdict, by what was asked."""

    async def get(self, key: str) -> str | None:
        """Return what was said, None where it is not known."""
        ...

    async def keep(self, key: str, text: str) -> None:
        """Keep what was said; it is on the disk on return, or goes there once it may."""
        ...


@dataclass(frozen=True)
class Resources:
    """What the pipeline hands to plugins; everything is made on first use.

    Attributes:
        root: The project's folder; relative paths in the configuration start here.
        state: The folder for run files and caches (``.ragate``).
        database: Starts or reaches the server on first use.
        chat: Client by provider name (a table of ``[policy.providers]``).
        embedder: Embedder by its configuration table (``use`` and the plugin's own keys).
        reranker: The same for a reranker; None where none can be made.
        capped: Holds a client that a plugin makes for itself to the caps of the policy.
        timeout_s: Seconds for one sample.
        concurrency: Samples in flight.
        say: Prints one progress line.
        replay_paths: Glob patterns, from the policy, of recorded outputs.
        top_k: ``--top-k``, where given.
        retrieval_only: No answers are wanted.
        http_hosts: Hosts, from the policy, that a system may call over HTTP.
        http_methods, http_paths: What it may ask there; the paths are patterns.
        http_header_env: By such a host, names of variables whose values may be sent to it.
        environment: The variables that processes of the project may get.
        key_names: Those of them that hold keys of the policy's providers and services.
        judge_keys: Those of `key_names` that hold the judge's key.
        recorder_variables: What leads model calls of the project to the recorder, where there is
            one; in `environment` as well.
        commit: The commit that is judged, where it is not the checked-out one; else "".
        steps: For a judge that asks several questions for one score; None where each is asked anew.
    """

    root: Path
    state: Path
    database: Database
    chat: Callable[[str], ChatClient]
    embedder: Callable[[Mapping[str, Any]], Embedder]
    timeout_s: float = 60.0
    concurrency: int = 8
    say: Callable[[str], None] = lambda _line: None
    replay_paths: tuple[str, ...] = ()
    top_k: int | None = None
    retrieval_only: bool = False
    http_hosts: tuple[str, ...] = ()
    http_methods: tuple[str, ...] = ("POST", "GET", "PUT")
    http_paths: tuple[str, ...] = ("/**",)
    http_header_env: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict, repr=False)
    key_names: frozenset[str] = frozenset()
    judge_keys: frozenset[str] = frozenset()
    recorder_variables: Mapping[str, str] = field(default_factory=dict, repr=False)
    reranker: Callable[[Mapping[str, Any]], Reranker] | None = None
    capped: Callable[[ChatClient], ChatClient] = lambda client: client
    commit: str = ""
    steps: Steps | None = None
