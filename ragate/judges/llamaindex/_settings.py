"""The keys of ``[policy.judge]`` for ``use = "llamaindex"``."""

from typing import Any, Literal, Self

from pydantic import Field, model_validator

from ragate.judges._asking import ModelSettings

Mode = Literal["compact", "refine"]
PromptName = Literal[
    "answer_relevancy",
    "context_relevancy",
    "context_relevancy.refine",
    "correctness",
    "faithfulness_binary",
    "faithfulness_binary.refine",
    "guideline",
    "pairwise",
    "relevancy",
    "relevancy.refine",
]
_DOTTED = r"^([A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*(\.[A-Za-z_]\w*)*)?$"


class Settings(ModelSettings):
    """``[policy.judge]``; the model is either `provider` and `model`, or `llm`.

    Attributes:
        provider: A table of ``[policy.providers]``.
        llm: A LlamaIndex LLM, or what makes one, as ``package.module:name``.
        llm_settings: Keyword arguments for what makes it.
        embedder: As ``[system.embedder]``; without it semantic_similarity is unscored.
        mode: ``compact`` joins contexts until they fill the window, ``refine`` asks chunk by chunk.
        guidelines: For the criterion guideline; "" for those of LlamaIndex.
        prompts: Files below the project in place of LlamaIndex's prompts, by criterion; the prompt
            of a chain's later steps is ``<criterion>.refine``.
        max_tokens: Longest reply, sent where set; this much of the window is kept for it.
        context_window: Tokens of one request, its reply included.
        max_steps: Longest chain; an output that needs a longer one is not judged.
        max_context_chars: Of all contexts together; beyond it they are not judged.
    """

    provider: str = ""
    model: str = ""
    llm: str = Field(default="", pattern=_DOTTED)
    llm_settings: dict[str, Any] = {}
    embedder: dict[str, Any] = {}
    mode: Mode = "compact"
    guidelines: str = ""
    prompts: dict[PromptName, str] = {}
    context_window: int = Field(default=16_000, ge=2_000)
    max_steps: int = Field(default=64, ge=1)
    max_context_chars: int = Field(default=200_000, ge=200)

    @model_validator(mode="after")
    def _one_model(self) -> Self:
        if self.llm and (self.provider or self.model):
            raise ValueError("llm is set, so provider and model have no use: give one or the other")
        if not self.llm and not (self.provider and self.model):
            raise ValueError("which model judges? give provider and model, or llm")
        if self.llm_settings and not self.llm:
            raise ValueError("llm_settings is for llm, which is not set")
        return self
