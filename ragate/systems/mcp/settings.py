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
    """``[system.sampling]``: the model that the server's tool may ask through its client.

    Attributes:
        provider: A table of ``[policy.providers]``; "" where the server may ask none.
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
    """``[system]``.

    Attributes:
        command: Starts the server, which is talked to over its standard input and output.
        url: Or the address of one that speaks streamable HTTP.
        tool: The name of the tool that answers.
        arguments: A template of JSON, the arguments of one call; it knows ``query``, ``id``,
            ``metadata`` and ``messages``.
        pointers: Where in ``{"structured", "json", "text", "content"}`` of a result each part is.
        start_timeout_s: Seconds until the server has answered the handshake.
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
