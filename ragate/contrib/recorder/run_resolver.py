"""What answers the recorded requests of one run: by the policy, and with what is known."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import SecretStr

from ragate.baseline.schema import requests_path
from ragate.cache import Cache, Draw
from ragate.cache.store import kept_draw
from ragate.clients.channel import Channel
from ragate.clients.memoised import Memo
from ragate.config import Config
from ragate.contrib.recorder.pending_requests import PendingFile
from ragate.contrib.recorder.proxy.reply_format import MAX_REPLY_BYTES
from ragate.contrib.recorder.proxy.reply_resolver import ReplyResolver
from ragate.contrib.recorder.proxy.request_ledger import Ledger
from ragate.contrib.recorder.proxy.upstream import DirectTransport, Upstream
from ragate.contrib.recorder.replies import load_replies
from ragate.errors import ConfigError, ProviderError
from ragate.resources.operations import Operations
from ragate.resources.provider_clients import read_key
from ragate.resources.resources import Opened
from ragate.settings import nearest

REPLIES_NAME = "replies.jsonl.gz"


def make_resolver(
    config: Config,
    operations: Operations,
    opened: Opened,
    *,
    provider: str,
    recording: str,
    pending: Path,
    run: int | None = None,
) -> ReplyResolver:
    """Return what answers the requests of one run.

    Args:
        pending: Where pending requests go.
        run: What is asked outside of any sample gets this draw, and another if it is repeated.
    """
    name = provider_of(config, provider)
    take_fulfilled(operations, opened.cache)
    replies = load_replies(requests_path(config.baseline))
    memo = Memo(
        opened.cache,
        # Of one run no other draw is wanted instead of its own.
        baseline=as_draws(replies.by_pass() if run is None else replies.of_run(run)),
        session=recording,
        budget=opened.budget,
    )
    upstream = make_upstream(config, operations, opened, name, patient=run is not None)
    if upstream is None and recording:
        raise ProviderError(
            f"fresh answers are wanted, and provider {name!r} cannot be asked",
            remedy="set its key, and leave RAGATE_OFFLINE out; nothing was changed",
            fatal=True,
        )
    ledger = Ledger(counts=run is not None)
    ledger.outside.run = run or 0
    return ReplyResolver(
        provider=name,
        memo=memo,
        ledger=ledger,
        upstream=upstream,
        models=config.policy.providers[name].models,
        before=opened.before_paying,
        pend=PendingFile(pending).add,
    )


def as_draws(replies: Mapping[str, Sequence[str]]) -> dict[str, tuple[Draw, ...]]:
    """Return recorded replies as what a memo gives again; the reason of their end is in each."""
    return {
        key: tuple(Draw.model_construct(text=text) for text in texts)
        for key, texts in replies.items()
    }


def provider_of(config: Config, name: str) -> str:
    """Return the provider that requests are forwarded to.

    Raises:
        ConfigError: the policy has none of that name, several and no name is given, or it speaks
            another protocol than what is recorded.
    """
    providers = config.policy.providers
    if not name and len(providers) == 1:
        name = next(iter(providers))
    if name in providers:
        if (protocol := providers[name].protocol) != "openai":
            raise ConfigError(
                f"[policy.providers.{name}] protocol = {protocol!r}: calls of OpenAI's protocol "
                "alone are recorded",
                remedy="leave out [system] record, or name another record_provider",
            )
        return name
    if name:
        raise ConfigError(
            f"record_provider = {name!r} is not in [policy.providers]{nearest(name, providers)}"
        )
    if not providers:
        raise ConfigError(
            "record = true forwards to a provider of the policy, and there is none",
            remedy="add [policy.providers.openai] with base_url and key_env",
        )
    raise ConfigError(
        f"[policy.providers] has {', '.join(sorted(providers))}: which one is recorded?",
        remedy="set [system] record_provider",
    )


def take_fulfilled(operations: Operations, cache: Cache) -> None:
    """Put fulfilled replies where fresh ones are: each is one draw, and stands for no other.

    A confirmation run that got the first run's reply again would confirm nothing.
    """
    replies = load_replies(operations.state / REPLIES_NAME)
    cache.put_draws(
        {
            ("", key, run): draw
            for key, draws in replies.draws.items()
            for run, text in draws.items()
            if len(text) <= MAX_REPLY_BYTES and (draw := kept_draw(text)) is not None
        }
    )


def make_upstream(
    config: Config, operations: Operations, opened: Opened, name: str, *, patient: bool
) -> Upstream | None:
    """Return the way to the provider, None where nothing may or can be forwarded.

    Args:
        patient: No sample waits for the answer.
    """
    provider = config.policy.providers[name]
    key = read_key(name, provider, operations.environment)
    if operations.offline or (provider.key_env and not key):
        return None
    return Upstream(
        Channel(
            DirectTransport(provider.base_url.rstrip("/"), SecretStr(key)),
            # As for our own answers: one that hangs is given up before its sample is.
            timeout_s=(1.0 if patient else 0.45) * operations.timeout_s,
            deadline_s=(4.0 if patient else 0.9) * operations.timeout_s,
            concurrency=operations.concurrency,
            budget=opened.budget,
            prices=provider.prices,
        )
    )
