"""What a server asks of its client's model: answered by a provider of the policy."""

from typing import Any

from mcp_types import (
    INTERNAL_ERROR,
    CreateMessageRequestParams,
    CreateMessageResult,
    ErrorData,
    TextContent,
)

from ragate.errors import FATAL, ProviderError, RagateError
from ragate.protocols import ChatRequest, Resources
from ragate.systems.mcp.settings import Sampling


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
