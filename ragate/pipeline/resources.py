"""What plugins get: made on first use from the configuration and the operational settings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ragate import plugins
from ragate.clients.budget import Budget, Capped
from ragate.config import Config
from ragate.errors import ConfigError, ProviderError
from ragate.protocols import ChatClient, Embedder, Resources
from ragate.settings import nearest

__all__ = ["Budget", "Capped", "Clients", "Operations", "open_resources"]


@dataclass(frozen=True)
class Operations:
    """How to run, as opposed to how to judge: from the environment and the command line.

    Attributes:
        environment: Where the keys are; nothing else of it is read here.
        state: The folder for runs and caches.
        database_url: An own Postgres; "" starts the embedded one.
        say: Prints a line; progress(done, total, what) shows how far a step is.
    """

    environment: Mapping[str, str]
    state: Path
    database_url: str = ""
    concurrency: int = 8
    timeout_s: float = 60.0
    say: Callable[[str], None] = lambda _line: None
    progress: Callable[[int, int, str], None] = lambda _done, _total, _what: None


@dataclass
class Clients:
    """Clients by provider, one for each, with the key bound to the provider's host."""

    config: Config
    operations: Operations
    budget: Budget
    made: dict[str, Any] = field(default_factory=dict)

    def client(self, name: str) -> Any:
        if name not in self.made:
            self.made[name] = self._make(name)
        return self.made[name]

    def chat(self, name: str) -> ChatClient:
        client: ChatClient = self.client(name)  # it counts against the budget itself
        return client

    def embedder(self, table: Mapping[str, Any]) -> Embedder:
        use = str(table.get("use", "openai"))
        if not plugins.is_builtin("embedders", use):
            # This table comes from the pull request, and a dotted path is code.
            raise ConfigError(
                f"[system.embedder] use = {use!r}: only ragate's own embedders may be named here"
                f"{nearest(use, plugins.names('embedders'))}"
            )
        settings = {key: value for key, value in table.items() if key != "use"}
        made: Embedder = plugins.load("embedders", use).create(settings, self.client)
        return made

    def _make(self, name: str) -> Any:
        from ragate.clients.openai import OpenAIClient

        provider = self.config.policy.providers.get(name)
        if provider is None:
            raise ConfigError(
                f"provider {name!r} is not in [policy.providers]",
                remedy=f"add [policy.providers.{name}] with base_url and key_env",
            )
        key = self.operations.environment.get(provider.key_env, "") if provider.key_env else ""
        if provider.key_env and not key:
            raise ProviderError(
                f"provider {name!r}: the environment variable {provider.key_env} is not set",
                remedy=f"set {provider.key_env}, or use a system and metrics that need no model",
            )
        return OpenAIClient(
            base_url=provider.base_url,
            key=key,
            # A sample's time holds two calls of the longest kind, so that one that hangs is made
            # again, and ends before the sample does: it is the service that failed, not the system.
            timeout_s=0.45 * self.operations.timeout_s,
            deadline_s=0.9 * self.operations.timeout_s,
            concurrency=self.operations.concurrency,
            budget=self.budget,
            prices=provider.prices,
        )


@contextmanager
def open_resources(
    config: Config,
    operations: Operations,
    *,
    top_k: int | None = None,
    retrieval_only: bool = False,
) -> Iterator[Resources]:
    """Yield the resources of one run; a server that was started for it is released at the end."""
    from ragate.database import PostgresDatabase

    policy = config.policy
    budget = Budget(max_calls=policy.max_calls, max_cost_usd=policy.max_cost_usd)
    clients = Clients(config, operations, budget)
    with PostgresDatabase(operations.state, url=operations.database_url) as database:
        yield Resources(
            root=config.root,
            state=operations.state,
            database=database,
            chat=clients.chat,
            embedder=clients.embedder,
            timeout_s=operations.timeout_s,
            concurrency=operations.concurrency,
            say=operations.say,
            replay_paths=policy.replay_paths,
            top_k=top_k,
            retrieval_only=retrieval_only,
            http_hosts=policy.http_hosts,
            http_header_env=policy.http_header_env,
            environment=operations.environment,
            key_names=policy.key_names,
        )
