"""Any LLM of LlamaIndex's integrations as a chat client."""

import re
import time
from collections.abc import Mapping, Sequence
from importlib import import_module
from typing import Any

from ragate.clients.http.limiter import Breaker
from ragate.clients.prices import price_of
from ragate.contrib.llamaindex_judge.settings import Settings
from ragate.errors import ConfigError, ProviderError
from ragate.files.strict_json import whole
from ragate.guards.escape import one_line, sendable
from ragate.guards.redact import Redactor
from ragate.protocols import ChatReply, ChatRequest

_SECRET = re.compile(r"KEY|TOKEN|SECRET|PASSWORD|CREDENTIAL", re.I)
# What can change a judgement, as the integrations call it; keys and addresses are left out.
_IDENTITY = (
    "model", "temperature", "max_tokens", "top_p", "top_k", "seed", "reasoning_effort",
    "system_prompt",
)  # fmt: skip


_SENT = ("prompt_tokens", "input_tokens", "prompt_eval_count")
_WRITTEN = ("completion_tokens", "output_tokens", "eval_count")


class LlmClient:
    """Implements `ragate.protocols.ChatClient` by an LLM's own asynchronous methods.

    Retries, keys and hosts are those of the integration; a row of failures opens a breaker.
    """

    def __init__(self, llm: Any, redact: Redactor) -> None:
        self._llm = llm
        self._redact = redact
        self._breaker = Breaker()

    @property
    def identity(self) -> dict[str, Any]:
        """What tells this LLM from another: its class, its model and how it is sampled."""
        kind = type(self._llm)
        metadata = getattr(self._llm, "metadata", None)
        sampling = {name: getattr(self._llm, name, None) for name in _IDENTITY}
        sampling = {k: v for k, v in sampling.items() if isinstance(v, str | int | float)}
        name = getattr(metadata, "model_name", None)
        return {
            **sampling,
            "class": f"{kind.__module__}.{kind.__qualname__}",
            "model_name": str(name),
        }

    async def __call__(self, request: ChatRequest, *, draw: int = 0) -> ChatReply:
        """Return the reply; every call is a new draw.

        Raises:
            ProviderError: the LLM raised; fatal where its key or model was refused, or where it has
                failed for some time.
        """
        del draw
        self._breaker.check("")
        try:
            reply = await self._reply(request)
        except Exception as error:  # noqa: BLE001 - foreign code, of any integration
            failure = self._failure(error)
        else:
            self._breaker.succeeded()
            return reply
        if failure.fatal or self._breaker.failed(time.monotonic()):
            self._breaker.open(failure)
        self._breaker.check("")
        # Not with its cause: a traceback would print the request, and with it perhaps the key.
        raise failure

    async def _reply(self, request: ChatRequest) -> ChatReply:
        from llama_index.core.llms import ChatMessage

        messages = [ChatMessage(role=role, content=text) for role, text in request.messages]
        if _chats(self._llm):
            reply = await self._llm.achat(messages)
            return self._priced(reply, str(reply.message.content or ""))
        if len(messages) == 1:
            reply = await self._llm.acomplete(request.messages[0][1])
        else:
            prompt = self._llm.messages_to_prompt(messages)
            reply = await self._llm.acomplete(prompt, formatted=True)
        return self._priced(reply, str(reply.text or ""))

    def _priced(self, reply: Any, text: str) -> ChatReply:
        """Return the reply with the tokens that it tells, and their price where both are known."""
        sent, written = tokens_of(reply)
        price = price_of(str(self.identity["model_name"]), {}) if sent or written else None
        cost = None if price is None else price.of(input_tokens=sent, output_tokens=written)
        text = sendable(text)
        return ChatReply(text, prompt_tokens=sent, completion_tokens=written, cost_usd=cost)

    def _failure(self, error: Exception) -> ProviderError:
        status = _status(error)
        if status in (401, 403):  # what is said about a wrong key often holds the key
            text = f"{type(error).__name__}: HTTP {status}"
        else:
            text = error_line(error, self._redact)
        return ProviderError(f"llm: {text}", fatal=status in (401, 403, 404), status=status)


def tokens_of(reply: Any) -> tuple[int, int]:
    """Return the tokens of request and reply as integrations tell them, 0 where they do not."""
    raw = getattr(reply, "raw", None)
    holders = [getattr(reply, "additional_kwargs", None), _field(raw, "usage"), raw]
    return _count(holders, _SENT), _count(holders, _WRITTEN)


def _count(holders: Sequence[Any], names: Sequence[str]) -> int:
    counts = (whole(_field(one, name), most=10**9) for one in holders for name in names)
    return next((count for count in counts if count is not None), 0)


def _field(holder: Any, name: str) -> Any:
    return holder.get(name) if isinstance(holder, Mapping) else getattr(holder, name, None)


def _chats(llm: Any) -> bool:
    metadata = getattr(llm, "metadata", None)
    return bool(getattr(metadata, "is_chat_model", hasattr(llm, "achat")))


def _status(error: Exception) -> int | None:
    response = getattr(error, "response", None)
    codes = [getattr(error, name, None) for name in ("status_code", "http_status", "code")]
    if isinstance(response, dict):  # AWS
        codes.append(response.get("ResponseMetadata", {}).get("HTTPStatusCode"))
    else:
        codes.append(getattr(response, "status_code", None))
    return next((code for code in codes if isinstance(code, int) and 100 <= code < 600), None)


def error_line(error: BaseException, redact: Redactor) -> str:
    """Return an exception of foreign code as one line without keys."""
    text = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return one_line(redact(text), 200)


def open_llm(settings: Settings, environment: Mapping[str, str]) -> LlmClient:
    """Return the LLM that `llm` names, made with `llm_settings` where it is a class or function.

    Args:
        environment: Its values that look like keys by their names are cut out of messages.

    Raises:
        ConfigError: the path leads nowhere, or to no LLM.
        ProviderError: it cannot be made: a key is not set, say.
    """
    redact = Redactor(value for name, value in environment.items() if _SECRET.search(name))
    where = f"[policy.judge] llm = {settings.llm!r}"
    llm = _target(settings.llm, where)
    if isinstance(llm, type) or not _is_llm(llm):
        if not callable(llm):
            raise ConfigError(f"{where}: neither an LLM of LlamaIndex nor what makes one")
        llm = _call_factory(llm, settings, where, redact)
    elif settings.llm_settings:
        raise ConfigError(f"{where}: an object, so llm_settings has no use")
    if not _is_llm(llm):
        raise ConfigError(f"{where}: {type(llm).__name__} has neither achat nor acomplete")
    return LlmClient(llm, redact)


def _is_llm(candidate: Any) -> bool:
    return hasattr(candidate, "achat") or hasattr(candidate, "acomplete")


def _call_factory(factory: Any, settings: Settings, where: str, redact: Redactor) -> Any:
    try:
        return factory(**settings.llm_settings)
    except Exception as error:  # noqa: BLE001 - foreign code, of any integration
        text = error_line(error, redact)
    raise ProviderError(
        f"{where}: it cannot be made: {text}",
        remedy="set the variable that holds its key, and check [policy.judge.llm_settings]",
        fatal=True,
    )


def _target(path: str, where: str) -> Any:
    module, _, names = path.partition(":")
    try:
        target: Any = import_module(module)
    except ImportError as error:
        package = module.replace("_", "-").replace(".", "-")
        raise ConfigError(
            f"{where}: {error}",
            remedy=f"install it in the environment of ragate: pip install {package}, if it is one "
            "of LlamaIndex's integrations",
        ) from error
    for name in names.split("."):
        if not hasattr(target, name):
            raise ConfigError(f"{where}: there is no {name!r} in it")
        target = getattr(target, name)
    return target
