"""The keys of ``[policy.judge]`` for ``use = "rubric"``."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from ragate.models import Frozen

Format = Literal["schema", "json", "text"]


class Settings(Frozen):
    """``[policy.judge]``.

    Attributes:
        provider: A table of ``[policy.providers]``.
        prompt: A Jinja file below the project with instructions of one's own; "" for ours.
        format: How JSON is asked for: by schema, as any JSON object, or in words only. A server
            that refuses the first is asked in the next way.
        temperature: Not sent to a reasoning model.
        seed: Sent where set, not to a reasoning model.
        reasoning: The model reasons: it takes no temperature and no seed.
        effort: Reasoning effort, sent where set; implies `reasoning`.
        max_tokens: Longest reply, sent where set.
        parameters: Further keys of the request; they win over all others.
        max_context_chars: Characters of all contexts together; longer ones are cut evenly.
        max_answer_chars: A longer answer is not judged, since a cut one could hide anything.
    """

    provider: str = Field(min_length=1)
    model: str = Field(min_length=1)
    prompt: str = ""
    format: Format = "schema"
    temperature: float = Field(default=0.0, ge=0, le=2)
    seed: int | None = None
    reasoning: bool = False
    effort: str = Field(default="", pattern=r"^[a-z]{0,20}$")
    max_tokens: int | None = Field(default=None, ge=1)
    parameters: dict[str, Any] = {}
    max_context_chars: int = Field(default=60_000, ge=200)
    max_answer_chars: int = Field(default=20_000, ge=200)

    def sent(self) -> dict[str, Any]:
        """Return the parameters of a request, the reply's format left out."""
        thinks = self.reasoning or bool(self.effort)
        found: dict[str, Any] = {} if thinks else {"temperature": self.temperature}
        if self.effort:
            found["reasoning_effort"] = self.effort
        if self.seed is not None and not thinks:
            found["seed"] = self.seed
        if self.max_tokens is not None:
            found["max_completion_tokens" if thinks else "max_tokens"] = self.max_tokens
        return {**found, **self.parameters}
