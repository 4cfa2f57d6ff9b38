"""Any OpenAI-compatible server: chat completions and embeddings.

Nothing of the environment counts here (addresses, keys, proxies, extra headers): a client talks to
the one base URL it was given, with the one key that belongs to it.
"""

from __future__ import annotations

import asyncio
import datetime
import math
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from ragate.clients.retry import Retry, TransientError, retry_after
from ragate.errors import ProviderError
from ragate.protocols import ChatReply, ChatRequest

if TYPE_CHECKING:
    import httpx
    import openai

T = TypeVar("T")
_SENT = frozenset(
    {"host", "accept", "accept-encoding", "connection", "content-type", "content-length"}
)
_TRANSIENT = frozenset({408, 409, 425, 429})
_SPENT = frozenset({"insufficient_quota", "billing_hard_limit_reached"})
_REMEDIES = {
    401: "check the key of this provider",
    403: "check the key of this provider, and what it may use",
    404: "check base_url (it usually ends in /v1) and the model's name",
}


@dataclass
class _Session:
    """What belongs to one event loop; a client may be used from one after another."""

    loop: asyncio.AbstractEventLoop
    client: openai.AsyncOpenAI
    places: asyncio.Semaphore


class OpenAIClient:
    """Implements `ragate.protocols.ChatClient`, and embeddings.

    Args:
        base_url: Where the API is, usually ending in ``/v1``.
        key: Sent to that host alone; "" for a server without keys.
        timeout_s: Seconds for one call, its answer included.
        concurrency: Calls under way at once.
    """

    def __init__(
        self,
        *,
        base_url: str,
        key: str = "",
        timeout_s: float = 60.0,
        concurrency: int = 8,
        retry: Retry | None = None,
    ) -> None:
        self._base_url = base_url
        self._key = key
        self._timeout_s = timeout_s
        self._concurrency = concurrency
        self._retry = retry or Retry()
        self._session: _Session | None = None

    def __repr__(self) -> str:
        return f"OpenAIClient({self._base_url!r})"

    async def __call__(self, request: ChatRequest) -> ChatReply:
        """Return the reply of one chat completion.

        Raises:
            ProviderError: the server failed after retries, refused, or sent no chat completion.
        """
        messages: Any = [{"role": role, "content": content} for role, content in request.messages]
        parameters: dict[str, Any] = dict(request.parameters)

        async def once(client: openai.AsyncOpenAI) -> ChatReply:
            reply = await client.chat.completions.create(
                model=request.model, messages=messages, stream=False, **parameters
            )
            return _chat_reply(reply)

        return await self._send(once)

    async def embed(
        self, texts: Sequence[str], *, model: str, dimensions: int | None = None
    ) -> list[list[float]]:
        """Return one embedding a text, in order; one call.

        Raises:
            ProviderError: as for a chat completion.
        """
        optional: dict[str, Any] = {} if dimensions is None else {"dimensions": dimensions}

        async def once(client: openai.AsyncOpenAI) -> list[list[float]]:
            reply = await client.embeddings.create(
                model=model, input=list(texts), encoding_format="float", **optional
            )
            return _embeddings(reply, len(texts))

        return await self._send(once)

    async def aclose(self) -> None:
        """Close the connections."""
        session, self._session = self._session, None
        if session is not None and session.loop is asyncio.get_running_loop():
            await session.client.close()

    async def _send(self, once: Callable[[openai.AsyncOpenAI], Awaitable[T]]) -> T:
        session = self._opened()

        async def attempt() -> T:
            async with session.places:
                return await self._translated(lambda: once(session.client))

        try:
            return await self._retry(attempt)
        except TransientError as error:
            raise self._error(str(error)) from error

    async def _translated(self, call: Callable[[], Awaitable[T]]) -> T:
        """Sort what goes wrong into what may be tried again and what may not."""
        import openai

        try:
            return await asyncio.wait_for(call(), self._timeout_s)
        except TimeoutError as error:
            raise TransientError(f"no answer within {self._timeout_s:g} s") from error
        except openai.APIStatusError as error:
            raise self._status(error) from error
        except openai.APIConnectionError as error:
            raise TransientError(f"cannot be reached: {error.__cause__ or error}") from error
        except (openai.OpenAIError, ValueError) as error:
            raise TransientError(f"sent a reply that cannot be read: {error}") from error

    def _status(self, error: openai.APIStatusError) -> Exception:
        code = error.status_code
        text = f"HTTP {code}: {_said(error)}" if code not in (401, 403) else f"HTTP {code}"
        transient = code in _TRANSIENT or code >= 500
        if not transient or error.code in _SPENT:
            return self._error(text, remedy=_REMEDIES.get(code, ""))
        now = datetime.datetime.now(datetime.UTC)
        after = retry_after(error.response.headers.get("retry-after"), now=now)
        return TransientError(text, after=after)

    def _error(self, text: str, *, remedy: str = "") -> ProviderError:
        line = " ".join(text.split())
        if self._key:
            line = line.replace(self._key, "***")
        return ProviderError(f"{urlsplit(self._base_url).netloc}: {line[:300]}", remedy=remedy)

    def _opened(self) -> _Session:
        loop = asyncio.get_running_loop()
        if self._session is None or self._session.loop is not loop:
            places = asyncio.Semaphore(self._concurrency)
            self._session = _Session(loop, self._client(), places)
        return self._session

    def _client(self) -> openai.AsyncOpenAI:
        import httpx
        import openai

        transport = httpx.AsyncClient(
            trust_env=False,
            follow_redirects=False,
            timeout=httpx.Timeout(self._timeout_s),
            event_hooks={"request": [self._bare]},
        )
        return openai.AsyncOpenAI(
            base_url=self._base_url,
            api_key=self._key or "none",  # the package wants one; `_bare` decides what is sent
            max_retries=0,
            http_client=transport,
        )

    async def _bare(self, request: httpx.Request) -> None:
        """Send no header but these: the package adds some from the environment."""
        for name in [name for name in request.headers if name not in _SENT]:
            del request.headers[name]
        request.headers["user-agent"] = "ragate"
        if self._key:
            request.headers["authorization"] = f"Bearer {self._key}"


def _said(error: openai.APIStatusError) -> str:
    """Return the server's own words, where it sent JSON; a page of HTML tells nobody anything."""
    body = error.body
    if isinstance(body, dict):
        return str(body.get("message") or body)[:200]
    return "no explanation"


def _chat_reply(reply: Any) -> ChatReply:
    choices: Any = getattr(reply, "choices", None)
    message = getattr(choices[0], "message", None) if choices else None
    if message is None:
        raise TransientError("sent no chat completion")
    usage = getattr(reply, "usage", None)
    return ChatReply(
        text=message.content or "",
        prompt_tokens=getattr(usage, "prompt_tokens", 0) or 0,
        completion_tokens=getattr(usage, "completion_tokens", 0) or 0,
        finish_reason=choices[0].finish_reason or "",
    )


def _embeddings(reply: Any, expected: int) -> list[list[float]]:
    rows = sorted(getattr(reply, "data", None) or [], key=lambda row: row.index)
    found: list[list[float]] = [row.embedding for row in rows]
    if len(found) != expected:
        raise TransientError(f"sent {len(found)} embeddings for {expected} texts")
    finite = all(math.isfinite(value) for one in found for value in one)
    if not finite or len({len(one) for one in found}) > 1:
        raise TransientError("sent embeddings that are no vectors of one dimension")
    return found
