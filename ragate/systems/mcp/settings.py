"""The keys of ``[system]`` for ``use = "mcp"``."""

from typing import Self

from pydantic import Field, model_validator

from ragate.models import Frozen
from ragate.outputs.pointed import Pointers
from ragate.systems._foreign import ForeignSettings
from ragate.systems.http.settings import Headers, PrepareStep

ARGUMENTS = '{"query": {{ query | tojson }}}'
CHAT_ARGUMENTS = f'{ARGUMENTS[:-1]}, "messages": {{{{ messages | tojson }}}}}}'


class Sampling(Frozen):
    """Some tools retrieve themselves and let their client's model write the answer
    (`sampling/createMessage`). ragate answers with a model of the policy, whose calls are counted,
    cached and capped like all others. The handshake is then that of the protocol before 2026, since
    newer ones have no such request.

    Attributes:
        provider: A table of `[policy.providers]`; empty: the tool may ask no model.
        model: The model.
        max_tokens: The most that is asked for; a tool that wants fewer gets fewer.
        temperature: The model's.
    """

    provider: str = ""
    model: str = ""
    max_tokens: int = Field(default=1024, ge=1)
    temperature: float = Field(default=0.0, ge=0)

    @model_validator(mode="after")
    def _names_both(self) -> Self:
        if bool(self.provider) != bool(self.model):
            raise ValueError("sampling needs both provider and model")
        return self


class Settings(ForeignSettings):
    """A server of the Model Context Protocol, one of whose tools answers: [MCP](system-command.md).

    Attributes:
        command: Starts the server, which is talked to over its standard input and output; this or
            `url`.
        url: The address of a server that speaks streamable HTTP.
        headers: For `url`: headers with fixed values.
        headers_env: For `url`: headers whose whole value is in a variable, which [the policy
            binds](system-http.md) to the host.
        tool: The tool that answers; a name that the server does not have ends the run and lists
            those it has.
        arguments: A Jinja template of JSON, the arguments of one call; it knows `query`, `id`,
            `metadata` and `messages` (the earlier turns); by default `{"query": …}`, with the turns
            where there are any.
        pointers: Where the parts of the result are, in an object with `structured` (its structured
            content), `json` (its text as JSON), `text` (the texts of its content, joined by line
            ends) and `content` (the blocks as they came). Without any pointer the structured
            content, or else JSON in the text, is read as a recorded output; any other text is the
            answer. Libraries send a list or a text as `{"result": …}`: point to
            `/structured/result`.
        prepare: Steps that load a corpus before the first question.
        sampling: The model that the tool may ask through its client.
        start_timeout_s: Seconds until the server has shaken hands and listed its tools.
        pass_env: For `command`: the variables with secrets that the program needs all the same.
    """

    command: tuple[str, ...] = ()
    url: str = ""
    headers: Headers = {}
    headers_env: Headers = {}
    tool: str = Field(min_length=1)
    arguments: str = ARGUMENTS
    pointers: Pointers = Pointers()
    prepare: tuple[PrepareStep, ...] = ()
    sampling: Sampling = Sampling()
    start_timeout_s: float = Field(default=60.0, gt=0)
    pass_env: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if bool(self.command) == bool(self.url):
            raise ValueError("give command, which starts the server, or url: one of the two")
        if self.command and (self.headers or self.headers_env):
            raise ValueError("headers go to a url; a command gets variables")
        if self.record and self.url:
            raise ValueError("record needs command: a server that runs already calls its own model")
        return self

    @property
    def loaded(self) -> tuple[str, ...]:
        """Documents that are sent to the service before the first question."""
        return tuple(pattern for step in self.prepare for pattern in step.documents)
