"""An answer by a model: the prompt file, numbered contexts, and the citations of the reply."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ragate.clients.memoised.memoised_chat import request_key
from ragate.core.text.words import markers
from ragate.errors import ConfigError, ProviderError
from ragate.models import Failure, RetrievedChunk, SystemOutput, Turn, Usage
from ragate.protocols import ChatClient, ChatRequest
from ragate.support.foreign_files import inside, read_text
from ragate.systems.pgvector.settings import AnswerSettings

MAX_PROMPT_BYTES = 256 * 1024
WHERE = "[system.answer] prompt"


@dataclass(frozen=True)
class Prompt:
    """A prompt file, compiled.

    Attributes:
        text: As it stands in the file: part of the system's fingerprint.
    """

    text: str
    template: Any
    name: str

    @property
    def reads_date(self) -> bool:
        """True where a placeholder of the prompt names the date on which it is asked."""
        return re.search(r"\{[{%][^{}]*\btoday\b", self.text) is not None

    def render(
        self, question: str, chunks: Sequence[RetrievedChunk], refusal: str, *, today: str = ""
    ) -> str:
        """Return the message for one question, asked on the date `today`.

        Raises:
            ConfigError: the template uses a name that is not given, or something forbidden.
        """
        from jinja2 import TemplateError

        contexts = [
            {
                "number": number,
                "doc_id": chunk.doc_id,
                "title": chunk.metadata.get("title", ""),
                "section": chunk.metadata.get("section", ""),
                "text": chunk.text,
            }
            for number, chunk in enumerate(chunks, start=1)
        ]
        try:
            text = self.template.render(
                question=question, contexts=contexts, refusal=refusal, today=today
            )
        except (TemplateError, ArithmeticError, TypeError, ValueError, LookupError) as error:
            raise ConfigError(f"{WHERE}: {self.name}: {error}", remedy=_KNOWN) from error
        return str(text).strip()


_KNOWN = (
    "a prompt knows question, contexts (number, doc_id, title, section, text), refusal and today"
)


def load_prompt(root: Path, settings: AnswerSettings) -> Prompt:
    """Return the prompt, tried on an empty and on a filled list of contexts.

    Raises:
        ConfigError: it is absent, outside the project, or no template that can be rendered.
    """
    from jinja2 import StrictUndefined, TemplateSyntaxError
    from jinja2.sandbox import ImmutableSandboxedEnvironment

    path = Path(__file__).with_name("answer.md")
    if settings.prompt:
        path = inside(root, settings.prompt, where=WHERE, error=ConfigError)
    text = read_text(path, error=ConfigError, max_bytes=MAX_PROMPT_BYTES)
    # Text for a model, not HTML; the sandbox is what keeps a template from running code.
    environment = ImmutableSandboxedEnvironment(undefined=StrictUndefined, autoescape=False)
    try:
        prompt = Prompt(text, environment.from_string(text), path.name)
    except TemplateSyntaxError as error:
        raise ConfigError(f"{WHERE}: {path.name}:{error.lineno}: {error.message}") from error
    for chunks in ((), (RetrievedChunk(doc_id="a.md", text="text"),)):
        prompt.render("question", chunks, settings.refusal)
    return prompt


def request_for(
    message: str, settings: AnswerSettings, *, turns: Sequence[Turn] = ()
) -> ChatRequest:
    """Return the request, `turns` of the conversation first; keys that are not set are not sent."""
    parameters = dict(settings.parameters)
    if settings.temperature is not None:
        parameters["temperature"] = settings.temperature
    if settings.max_tokens is not None:
        parameters["max_tokens"] = settings.max_tokens
    messages = (*((turn.role, turn.content) for turn in turns), ("user", message))
    return ChatRequest(settings.model, messages, parameters)


def cited(answer: str, chunks: int) -> tuple[int, ...]:
    """Return the chunk numbers that the answer cites, each once; 0 for one that leads nowhere."""
    numbers = (number if 1 <= number <= chunks else 0 for number in markers(answer))
    return tuple(dict.fromkeys(numbers))


async def written(
    clients: Callable[[str], ChatClient],
    message: str,
    chunks: tuple[RetrievedChunk, ...],
    settings: AnswerSettings,
    *,
    turns: Sequence[Turn],
    usage: Usage,
    draw: int,
) -> SystemOutput:
    """Return the output with the model's answer; a provider that fails is reported as such.

    Args:
        turns: The conversation before the question.
        usage: What was spent before on this sample.
    """
    request = request_for(message, settings, turns=turns)
    hashed = request_key(request, provider=settings.provider)
    try:
        reply = await clients(settings.provider)(request, draw=draw)
    except ProviderError as error:
        failure = Failure(kind="provider", message=error.message)
        return SystemOutput(chunks=chunks, error=failure, usage=usage, request_hash=hashed)
    text = reply.text.strip()
    empty = f"empty answer (finish reason {reply.finish_reason or 'unknown'})"
    return SystemOutput(
        chunks=chunks,
        answer=text,
        citations=cited(text, len(chunks)),
        finish_reason=reply.finish_reason,
        usage=Usage(
            calls=usage.calls + (not reply.reused),
            prompt_tokens=reply.prompt_tokens,
            completion_tokens=reply.completion_tokens,
            cost_usd=reply.cost_usd,
        ),
        error=None if text else Failure(kind="system", message=empty),
        request_hash=hashed,
    )
