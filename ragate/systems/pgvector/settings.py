"""The keys of ``[system]`` for ``use = "pgvector"``."""

from __future__ import annotations

from typing import Any, Literal, Self

from pydantic import Field, field_validator, model_validator

from ragate.models import Frozen

HNSW_LIMIT = 2000  # dimensions that pgvector's HNSW holds for the type vector


class Bm25Settings(Frozen):
    """``[system.bm25]``: how words are counted.

    Attributes:
        stemmer: A Snowball language, or "none".
        stop_words: "english" or "none".
        k1: How soon a repeated word stops to count.
        b: How much a long chunk is marked down; 0 not at all, 1 in full proportion.
    """

    stemmer: str = "english"
    stop_words: Literal["english", "none"] = "english"
    k1: float = Field(default=1.2, ge=0, le=10)
    b: float = Field(default=0.75, ge=0, le=1)

    @field_validator("stemmer")
    @classmethod
    def _known(cls, value: str) -> str:
        if value == "none":
            return value
        import Stemmer

        known = Stemmer.algorithms()
        if value not in known:
            raise ValueError(f'no such stemmer; known: "none", {", ".join(sorted(known))}')
        return value


class AnswerSettings(Frozen):
    """``[system.answer]``: who writes the answer.

    Attributes:
        sentences: Largest number of sentences that an extractive answer quotes.
        threshold: Share of the question's weight that the best sentence must cover; below it the
            extractive answer is the refusal.
        refusal: What is said where nothing matches; the chat prompt gets it too.
        provider: A table of ``[policy.providers]``, for chat.
        prompt: A Jinja file below the project; "" for the built-in prompt.
        temperature, max_tokens: Sent only where set: not every model takes them.
        parameters: Further keys of the request, such as ``seed`` or ``reasoning_effort``.
    """

    use: Literal["extractive", "chat"] = "extractive"
    sentences: int = Field(default=3, ge=1, le=20)
    threshold: float = Field(default=0.25, ge=0, le=1)
    refusal: str = Field(
        default="I don't know: the documents do not answer this question.", min_length=1
    )
    provider: str = ""
    model: str = ""
    prompt: str = ""
    temperature: float | None = Field(default=None, ge=0, le=2)
    max_tokens: int | None = Field(default=None, ge=1)
    parameters: dict[str, Any] = {}

    @model_validator(mode="after")
    def _chat_is_whole(self) -> Self:
        if self.use == "chat" and not (self.provider and self.model):
            raise ValueError('use = "chat" needs provider and model')
        return self


class Settings(Frozen):
    """``[system]``.

    Attributes:
        corpus: A folder below the project: Markdown, HTML and text files, or a BEIR corpus.
        chunk_size: Largest chunk in tokens (words of up to 20 characters, and punctuation marks).
        chunk_overlap: Tokens that a chunk repeats from the one before.
        markdown: Split Markdown and HTML at their headings first.
        top_k: Chunks that are returned for a question.
        index: For dense and hybrid: exact search, or an approximate HNSW index.
        rrf_k: The constant of reciprocal rank fusion, for hybrid.
    """

    corpus: str = Field(min_length=1)
    chunk_size: int = Field(default=512, ge=16, le=8000)
    chunk_overlap: int = Field(default=64, ge=0)
    markdown: bool = True
    retrieval: Literal["bm25", "dense", "hybrid"] = "bm25"
    top_k: int = Field(default=10, ge=1, le=1000)
    index: Literal["exact", "hnsw"] = "exact"
    rrf_k: int = Field(default=60, ge=1)
    bm25: Bm25Settings = Bm25Settings()
    embedder: dict[str, Any] | None = None
    answer: AnswerSettings = AnswerSettings()

    @model_validator(mode="after")
    def _fits_together(self) -> Self:
        if self.chunk_overlap >= self.chunk_size:
            raise ValueError(
                f"chunk_overlap = {self.chunk_overlap} must be smaller than chunk_size = "
                f"{self.chunk_size}"
            )
        if self.retrieval != "bm25" and not self.embedder:
            raise ValueError(f'retrieval = "{self.retrieval}" needs a table [system.embedder]')
        return self

    @property
    def dense(self) -> bool:
        """True where chunks get an embedding."""
        return self.retrieval != "bm25"
