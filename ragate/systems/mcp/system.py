"""A tool of an MCP server as the system under test; see docs/system-command.md."""

import asyncio
import json
import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from mcp_types import (
    INTERNAL_ERROR,
    CreateMessageRequestParams,
    CreateMessageResult,
    ErrorData,
    TextContent,
)

from ragate.errors import FATAL, ConfigError, ProviderError, RagateError, SystemStartError
from ragate.files.pointer import PointerError
from ragate.guards.escape import one_line
from ragate.models import Sample, SystemOutput
from ragate.outputs.pointed import Pointers, pointed
from ragate.protocols import ChatRequest, Resources
from ragate.settings import nearest
from ragate.systems._foreign import Foreign, no_place_for_turns
from ragate.systems._output import LONGEST, OutputError, failed, to_output, unanswered, wanted
from ragate.systems._process import Child, Programs
from ragate.systems._talk import GivenUpError, Lives
from ragate.systems.http.address import place_of, refuse_secret, resolve
from ragate.systems.http.policy import Hidden, check_request, header_secrets
from ragate.systems.http.prepare import Preparation
from ragate.systems.http.requests import Template
from ragate.systems.mcp.session import (
    ConnectionLostError,
    PinnedTransport,
    ToolRefusedError,
    ToolSession,
    over_http,
    over_stdio,
)
from ragate.systems.mcp.settings import ARGUMENTS, CHAT_ARGUMENTS, Sampling, Settings

_NOTHING = object()
_WHERE = "[system] arguments"


class McpSystem(Foreign):
    """Calls one tool, once for each sample; a session that is lost is opened again."""

    def __init__(self, settings: Settings, resources: Resources) -> None:
        super().__init__("mcp", settings, resources.root)
        self._settings = settings
        self._resources = resources
        self._programs = Programs(resources, settings.pass_env)
        self._hidden = Hidden([])
        self._headers: dict[str, str] = {}
        if settings.url:
            self._allow_address()
        self._arguments = Arguments(settings.arguments)
        self._model = SampledModel(settings.sampling, resources)
        self._preparation = Preparation(settings.prepare, resources, self._hidden, self._programs)
        self._child: Child | None = None
        self._lives = Lives(self._open)

    async def prepare(self, *, rebuild: bool = False) -> None:
        """Open the session, load the corpus, and see that the tool is there.

        Raises:
            SystemStartError: the server cannot be started or talked to, or a step fails.
            ConfigError: it has no such tool.
        """
        del rebuild
        limit = self._settings.start_timeout_s
        name = "command" if self._settings.command else "url"
        try:
            async with asyncio.timeout(limit):
                tools = await (await self._lives.current()).tools()
        except TimeoutError as error:
            raise SystemStartError(
                f"[system] {name}: no handshake within {limit:g} s{self._clean(self._tail())}",
                remedy="raise start_timeout_s, or see whether it speaks MCP",
            ) from error
        except ConnectionLostError as error:
            raise SystemStartError(
                self._clean(await self._why(f"[system] {name}", error))
            ) from error
        if self._settings.tool not in tools:
            raise ConfigError(
                f"[system] tool = {self._settings.tool!r}: the server has no such tool"
                f"{nearest(self._settings.tool, tools)}",
                remedy=f"it has {self._clean(', '.join(sorted(tools)[:20])) or 'none'}",
            )
        await self._preparation.run()

    async def answer(self, sample: Sample, *, run: int = 0) -> SystemOutput:
        """Return what the tool answered; what goes wrong is the failure of this sample.

        Raises:
            ConfigError: the sample has earlier turns, and the arguments have no place for them.
            BudgetError: a cap of the policy is reached by what the tool asks of a model.
        """
        del run  # it can be asked again at will
        try:
            arguments = self._arguments.of(sample)
        except OutputError as error:
            return failed(str(error))
        outages = self._model.outages
        try:
            return await self._lives.ask(partial(self._asked, arguments))
        except OutputError as error:
            return self._failed(f"{error}{self._tail()}", outages=outages)
        except ToolRefusedError as error:
            return self._failed(f"the server refused the call: {error}", outages=outages)
        except GivenUpError as error:
            return await self._lost(error.last, f"{error}: ")
        except ConnectionLostError as error:
            return await self._lost(error)

    async def close(self) -> None:
        """End the session, and the server with all that it started."""
        await self._lives.close()
        await self._preparation.close()

    async def _asked(self, arguments: dict[str, Any], session: ToolSession) -> SystemOutput:
        started = time.perf_counter()
        result = await session.call(self._settings.tool, arguments)
        took = time.perf_counter() - started
        clean = self._hidden.without_secrets(json.dumps(result, ensure_ascii=False).encode())
        value = recorded(json.loads(clean), self._settings.pointers)
        return wanted(to_output(value, who="the tool"), self._resources, took=took)

    async def _lost(self, error: Exception, lead: str = "") -> SystemOutput:
        """Return the output of a sample whose session ended; one unreachable gave no answer."""
        message = self._clean(f"{lead}{await self._why('the server', error)}")
        unreachable = isinstance(error, ConnectionLostError) and error.unreachable
        return unanswered(message) if unreachable else failed(message)

    def _failed(self, message: str, *, outages: int) -> SystemOutput:
        """Return the failure of a sample; a provider's, where one failed meanwhile."""
        if self._model.fatal is not None:
            raise self._model.fatal
        if self._model.outages > outages:
            return unanswered(self._model.outage)
        return failed(self._clean(message))

    def _allow_address(self) -> None:
        """Check the address against the policy, and take the keys that may go there."""
        settings, resources = self._settings, self._resources
        self._host = place_of(settings.url, key="url", hosts=resources.http_hosts)
        check_request("POST", settings.url, key="url", rules=resources)
        self._secrets = header_secrets(settings.headers_env, resources, host=self._host)
        self._hidden.add_secrets(self._secrets.headers.values())
        self._headers = {**settings.headers, **self._secrets.headers}

    async def _open(self) -> ToolSession:
        settings, resources = self._settings, self._resources
        sampling = self._model if settings.sampling.provider else None
        if settings.command:
            return ToolSession(over_stdio(self._started, sampling))
        addresses = await resolve(self._host, key="url")
        if self._secrets.rule:
            refuse_secret(self._host, addresses, key="url", rule=self._secrets.rule)
        transport = PinnedTransport(self._host, addresses, headers=self._headers, rules=resources)
        return ToolSession(over_http(settings.url, transport, sampling))

    async def _started(self) -> Child:
        child = await self._programs.start(self._settings.command, key="command", talks=True)
        self._child = child
        return child

    async def _why(self, who: str, error: Exception) -> str:
        child = self._child
        if self._settings.command and child is not None:
            return f"{who}: {self._settings.command[0]!r} {await child.why()}"
        return f"{who}: {error}"

    def _clean(self, text: str) -> str:
        return self._hidden.clean(text, LONGEST)

    def _tail(self) -> str:
        return "" if self._child is None else self._child.tail.told()


# The arguments of a call: a template of JSON, filled in for each sample.


class Arguments:
    """The template of ``[system] arguments``.

    Raises:
        ConfigError: it is none.
    """

    def __init__(self, text: str) -> None:
        self._template = Template(text, where=_WHERE)
        # The default has a place for earlier turns only where there are any.
        chat = CHAT_ARGUMENTS if text == ARGUMENTS else text
        self._chat_template = Template(chat, where=_WHERE)

    def of(self, sample: Sample) -> dict[str, Any]:
        """Return the arguments for a sample.

        Raises:
            ConfigError: the sample has earlier turns, and the template has no place for them.
            OutputError: it gives no JSON, or no object.
        """
        if sample.messages and not self._chat_template.takes_messages:
            remedy = "put {{ messages | tojson }} into them"
            raise no_place_for_turns(sample, _WHERE, remedy=remedy)
        template = self._chat_template if sample.messages else self._template
        try:
            arguments = json.loads(template.render(sample))
        except ValueError as error:
            raise OutputError(
                f"{_WHERE} give no JSON for {sample.id}: write {{{{ query | tojson }}}}, without "
                "quotes around it"
            ) from error
        if not isinstance(arguments, dict):
            raise OutputError(f"{_WHERE} give no object for {sample.id}")
        return arguments


# From the result of a tool to the fields of a recorded output.


def recorded(result: Mapping[str, Any], pointers: Pointers) -> Any:
    """Return what a tool answered as a text, or as the fields of a recorded output.

    Args:
        result: The tool's result as it goes over the wire, in JSON.

    Raises:
        OutputError: the tool reports an error, or a pointer leads nowhere.
    """
    text = _text(result.get("content") or ())
    if result.get("isError"):
        raise OutputError(f"the tool answered with an error: {one_line(text, 300) or 'no text'}")
    parsed = _parsed(text)
    if pointers.empty:
        return _whole(result, text, parsed)
    place: dict[str, Any] = {"text": text, "content": result.get("content") or []}
    if result.get("structuredContent") is not None:
        place["structured"] = result["structuredContent"]
    if parsed is not _NOTHING:
        place["json"] = parsed
    try:
        return pointed(place, pointers)
    except PointerError as error:
        raise OutputError(f"[system.pointers] {error}; the result has {_told(place)}") from error


def _whole(result: Mapping[str, Any], text: str, parsed: Any) -> Any:
    """Return the structured content where there is any, else the text.

    Libraries wrap what is no object as ``{"result": …}``: an object has to be sent.
    """
    value = result.get("structuredContent")
    if isinstance(value, dict) and value.keys() == {"result"}:
        value = value["result"]
    if isinstance(value, dict | str):
        return value
    return parsed if isinstance(parsed, dict) else text


def _text(content: Sequence[Any]) -> str:
    blocks = [block.get("text") for block in content if isinstance(block, Mapping)]
    return "\n".join(block for block in blocks if isinstance(block, str))


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return _NOTHING


def _told(place: Mapping[str, Any]) -> str:
    """Return the beginning of each part of a result, so that a pointer can be corrected."""
    shown = {
        name: one_line(json.dumps(value, ensure_ascii=False), 80)
        for name, value in place.items()
        if name in {"structured", "json"}
    }
    shown.setdefault("text", one_line(str(place["text"]), 80))
    return ", ".join(f"/{name} {value}" for name, value in shown.items())


# What a server asks of its client's model: answered by a provider of the policy.


class SampledModel:
    """Answers the requests of one system's tools.

    Attributes:
        outages: How often the provider failed so far.
        outage: What it said when it failed last.
        fatal: An error that ends the run.
    """

    def __init__(self, keys: Sampling, resources: Resources) -> None:
        self._keys = keys
        self._resources = resources
        self.outages = 0
        self.outage = ""
        self.fatal: RagateError | None = None

    async def __call__(
        self, context: Any, params: CreateMessageRequestParams
    ) -> CreateMessageResult | ErrorData:
        """Return the model's text, or why there is none."""
        del context
        keys = self._keys
        request = ChatRequest(
            keys.model,
            _messages(params),
            {
                "max_tokens": min(params.max_tokens, keys.max_tokens),
                "temperature": keys.temperature,
            },
        )
        try:
            reply = await self._resources.chat(keys.provider)(request)
        except FATAL as error:
            self.fatal = error
            return ErrorData(code=INTERNAL_ERROR, message=error.message)
        except ProviderError as error:
            if not error.refused:
                self.outages += 1
                self.outage = error.message
            return ErrorData(code=INTERNAL_ERROR, message=error.message)
        content = TextContent(type="text", text=reply.text)
        return CreateMessageResult(
            role="assistant", content=content, model=keys.model, stop_reason="endTurn"
        )


def _messages(params: CreateMessageRequestParams) -> tuple[tuple[str, str], ...]:
    """Return the messages as texts; what is no text is left out, since no client here takes it."""
    system = (("system", params.system_prompt),) if params.system_prompt else ()
    spoken = []
    for message in params.messages:
        blocks = message.content_as_list
        texts = [block.text for block in blocks if isinstance(block, TextContent)]
        spoken.append((str(message.role), "\n".join(texts)))
    return (*system, *spoken)
