"""What the pipeline hands to plugins: models over a network, the database, and the run's keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from ragate.models.progress import Show, unshown

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class Embedder(Protocol):
    """Turns texts into vectors."""

    @property
    def fingerprint(self) -> str: ...

    @property
    def deterministic(self) -> bool:
        """True where the same text gives the same vector, bit by bit, on any machine."""
        ...

    @property
    def portion(self) -> int:
        """Texts that are as fast in one go as all at once; who embeds more gives it several."""
        ...

    async def __call__(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return an array of shape (len(texts), dimension)."""
        ...


class Reranker(Protocol):
    """Says how well each text answers a question."""

    @property
    def fingerprint(self) -> str: ...

    async def __call__(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return one score a text, in order; higher is better, whatever the scale."""
        ...


@dataclass(frozen=True)
class ChatRequest:
    """One chat completion: what is sent, whole; its hash is the request's identity.

    Attributes:
        tries: Replies that cannot be read, after which it is given up; not sent.
    """

    model: str
    messages: tuple[tuple[str, str], ...]  # (role, content)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    tries: int = 3


@dataclass(frozen=True)
class ChatReply:
    """What came back, with the tokens that the server counted.

    Attributes:
        cost_usd: None where the price is not known.
        reused: Taken from memory: nothing was sent. Tokens and cost are those of the call that made
            it, 0 and None where memory does not know them.
        unreadable: Replies before this one that could not be read.
        changed: Parameters that its server does not take: left out, or sent under another name.
    """

    text: str
    prompt_tokens: int = 0
    completion_tokens: int = 0
    cost_usd: float | None = None
    finish_reason: str = ""
    reused: bool = False
    unreadable: int = 0
    changed: tuple[str, ...] = ()


class ChatClient(Protocol):
    """Chat completions of one provider."""

    async def __call__(self, request: ChatRequest, *, draw: int = 0) -> ChatReply:
        """Return the reply.

        Args:
            draw: Which of several answers to the same request is wanted; only a memory of requests
                tells them apart, and the pass is the natural number.

        Raises:
            ProviderError: the provider failed after retries, or refused.
            BudgetError: a cap of the policy is reached.
        """
        ...


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
        say: Prints one line.
        progress: Shows how far a stage is, as often as it is told.
        replay_paths: Glob patterns, from the policy, of recorded outputs.
        scores_paths: The same of an evaluator's scores.
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
        live: Imported code of the project is asked in this very process, not in a worker.
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
    progress: Show = unshown
    replay_paths: tuple[str, ...] = ()
    scores_paths: tuple[str, ...] = ()
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
    live: bool = False
    steps: Steps | None = None
